-- Opens a file with the server, prints the diagnostics, applies the last code action, prints the text.
local function say(text) io.stdout:write(text .. "\n") end
local function wait(what, done) if not vim.wait(20000, done, 20) then say("timeout: " .. what) vim.cmd("cquit") end end
vim.cmd("edit " .. vim.env.FDLINT_FILE)
vim.bo.filetype = "python"
local id = vim.lsp.start_client({ name = "fdlint", cmd = { vim.env.FDLINT_PYTHON, "-m", "fdlint", "server" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
wait("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
for _, one in ipairs(vim.diagnostic.get(0)) do
  say(string.format("%d:%d %s %s", one.lnum + 1, one.col + 1, one.code or one.user_data.lsp.code, one.message))
end
local one = vim.diagnostic.get(0)[1]
local at = { line = one.lnum, character = one.col }
local params = { textDocument = vim.lsp.util.make_text_document_params(), position = at }
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", params, 20000)
say("hover: " .. vim.split(hover[id].result.contents.value, "\n")[1])
params = { textDocument = params.textDocument, range = { start = at, ["end"] = at }, context = { diagnostics = {} } }
local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000)
local action = answer[id].result[#answer[id].result]
say("action: " .. action.title)
vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(id).offset_encoding)
for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do say(vim.trim("| " .. line)) end
wait("no diagnostics", function() return #vim.diagnostic.get(0) == 0 end)
say("diagnostics left: " .. #vim.diagnostic.get(0))
vim.lsp.stop_client(id)
vim.cmd("qall!")
