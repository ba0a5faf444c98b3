export interface Originals {
  forget(id: string): Promise<void>;
}
export async function openOriginals(_directory: string): Promise<Originals> {
  return { forget: async () => {} };
}
