/** The media types of what a .vsix holds, by the extensions of the names. */
export const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${Object.entries({
  cjs: 'application/javascript',
  json: 'application/json',
  md: 'text/markdown',
  txt: 'text/plain',
  vsixmanifest: 'text/xml',
})
  .map(([end, type]) => `  <Default Extension=".${end}" ContentType="${type}"/>`)
  .join('\n')}
</Types>
`;

/** The part of a package.json that goes into the manifest of a .vsix.
 * @typedef {object} ExtensionPackage
 * @property {string} name
 * @property {string} version
 * @property {string} publisher
 * @property {string} displayName
 * @property {string} description
 * @property {readonly string[]} keywords
 * @property {readonly string[]} categories
 * @property {{ vscode: string }} engines
 */

/** The manifest that VS Code and the marketplaces read before they unpack.
 * @param {ExtensionPackage} extension
 */
export function vsixManifest(extension) {
  const { name, version, publisher, engines } = extension;
  const properties = {
    'Microsoft.VisualStudio.Code.Engine': engines.vscode,
    'Microsoft.VisualStudio.Code.ExtensionDependencies': '',
    'Microsoft.VisualStudio.Code.ExtensionPack': '',
    'Microsoft.VisualStudio.Code.ExtensionKind': 'workspace',
    'Microsoft.VisualStudio.Code.ExecutesCode': 'true',
    'Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown': 'true',
  };
  const assets = {
    'Microsoft.VisualStudio.Code.Manifest': 'package.json',
    'Microsoft.VisualStudio.Services.Content.Details': 'README.md',
    'Microsoft.VisualStudio.Services.Content.Changelog': 'CHANGELOG.md',
    'Microsoft.VisualStudio.Services.Content.License': 'LICENSE.txt',
  };
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}"/>
    <DisplayName>${xml(extension.displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(extension.description)}</Description>
    <Tags>${xml(extension.keywords.join(','))}</Tags>
    <Categories>${xml(extension.categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${Object.entries(properties)
  .map(([id, value]) => `      <Property Id="${id}" Value="${xml(value)}"/>`)
  .join('\n')}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${Object.entries(assets)
  .map(([type, path]) => `    <Asset Type="${type}" Path="extension/${path}" Addressable="true"/>`)
  .join('\n')}
  </Assets>
</PackageManifest>
`;
}

/** @param {string} text */
function xml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
