-- Uses the language server as somebody at Neovim would, and writes what is seen to seen.json.

local seen = {}

local function wait(what, condition)
  assert(vim.wait(30000, condition, 20), 'this did not happen: ' .. what)
end

local function lines(from, to)
  return vim.api.nvim_buf_get_lines(0, from - 1, to, true)
end

local function rules()
  return vim.tbl_map(function(diagnostic)
    return diagnostic.code
  end, vim.diagnostic.get(0))
end

local function go_to(line, text)
  local column = assert(lines(line, line)[1]:find(text, 1, true), text)
  vim.api.nvim_win_set_cursor(0, { line, column - 1 })
end

local function use()
  wait('diagnostics', function()
    return #vim.diagnostic.get(0) > 0
  end)
  local found = vim.diagnostic.get(0)[1]
  seen.diagnostic = { found.code, found.severity, found.lnum, found.col, found.end_col }
  seen.clients = vim.tbl_map(function(client)
    return { client.name, vim.fs.basename(client.root_dir) }
  end, vim.lsp.get_clients({ bufnr = 0 }))

  go_to(7, 'gust')
  vim.lsp.buf.hover()
  local float
  wait('hover', function()
    float = vim.tbl_filter(function(window)
      return vim.api.nvim_win_get_config(window).relative ~= ''
    end, vim.api.nvim_list_wins())[1]
    return float ~= nil
  end)
  local shown = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, true)
  seen.hover = table.concat(shown, '\n')
  vim.api.nvim_win_close(float, true)

  vim.api.nvim_win_set_cursor(0, { 7, 13 })
  vim.api.nvim_feedkeys(vim.keycode('A <C-x><C-o>'), 'n', false)
  vim.api.nvim_create_autocmd('CompleteChanged', {
    once = true,
    callback = function()
      seen.completion = vim.tbl_map(function(item)
        return item.word
      end, vim.fn.complete_info({ 'items' }).items)
    end,
  })
end

local function change()
  vim.cmd('edit!')
  wait('diagnostics of the file read again', function()
    return vim.deep_equal(rules(), { 'expression/unquoted-string' })
  end)
  go_to(6, 'BEAT)')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == "Write 'BEAT'"
    end,
  })
  wait('the fix', function()
    return #vim.diagnostic.get(0) == 0 and lines(6, 6)[1]:find("'BEAT'", 1, true) ~= nil
  end)

  go_to(7, 'gust')
  vim.lsp.buf.rename('blow')
  wait('the rename', function()
    return lines(7, 7)[1] == 'WHEN blow -> beat'
  end)
  vim.lsp.buf.format({ name = 'perturb', timeout_ms = 30000 })
  seen.text = table.concat(lines(5, 10), '\n')
end

local function finish(ok, message)
  if not ok then
    seen.failure = message
  end
  vim.fn.writefile({ vim.json.encode(seen) }, 'seen.json')
  vim.cmd('qall!')
end

-- Keys are only typed between two steps.
vim.schedule(function()
  local ok, message = pcall(use)
  if not ok then
    return finish(ok, message)
  end
  local function when_completed(left)
    if seen.completion == nil and left > 0 then
      return vim.defer_fn(function()
        when_completed(left - 1)
      end, 50)
    end
    vim.cmd('stopinsert')
    vim.schedule(function()
      finish(pcall(change))
    end)
  end
  when_completed(200)
end)
