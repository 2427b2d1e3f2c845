import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { chatFrames, openaiError } from '../../support/wire/openai-chat';
import { frame } from '../../support/wire/server';
import { SEARCH } from './ask';
import { wireSuite } from './wire-suite';

// The server is unknown: the ids are written as the strictest takes them, and a note stands between a result and the user.
const SENT = {
  messages: [
    { role: 'system', content: 'You answer.' },
    { role: 'user', content: 'Find both.' },
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        { id: '7egvib2cq', type: 'function', function: { name: 'search', arguments: '{"q":"one"}' } },
        { id: 'v6wo4ez3v', type: 'function', function: { name: 'search', arguments: '{"q":"two"}' } },
      ],
    },
    { role: 'tool', tool_call_id: '7egvib2cq', content: '{"hits":["first"]}' },
    { role: 'tool', tool_call_id: 'v6wo4ez3v', content: '{"success":false,"error":"No index.","code":"tool_failed"}' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'ao9rdlimn', type: 'function', function: { name: 'search', arguments: '{"q":"one"}' } }],
    },
    { role: 'tool', tool_call_id: 'ao9rdlimn', content: 'plain text' },
    { role: 'assistant', content: '[Noted.]' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ type: 'function', function: { name: 'search', description: 'Searches.', parameters: SEARCH.inputSchema } }],
  tool_choice: 'auto',
  stream: true,
  stream_options: { include_usage: true },
};

wireSuite({
  name: 'an OpenAI-compatible server',
  model: 'local/gpt-test-2026',
  create: (baseURL) => createOpenAICompatible({ name: 'local', baseURL, includeUsage: true })('gpt-test'),
  frames: chatFrames,
  error: openaiError,
  errorFrame: (message) => frame({ error: { message, type: 'server_error', param: null, code: null } }),
  sent: SENT,
  thinks: true,
});
