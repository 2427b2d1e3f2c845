// Reference pages, made from the tables and doc comments of the source.
import { loadTables, version } from './load.mjs';
import { commentsOf, membersOf } from './members.mjs';

/** @typedef {import('./load.mjs').Tables} Tables */
/** @typedef {import('./load.mjs').Operation} Operation */

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|');

/** @param {string[]} head @param {string[][]} rows */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(cell).join(' | ')} |`)
    .join('\n')
    .replaceAll(/\| --- (?:\| --- )*\|/g, (line) => line.replaceAll(' ', ''));

/** @param {string} path @param {string} name @param {readonly string[]} [without] */
const optionsTable = (path, name, without = []) =>
  table(
    ['Option', 'Type', 'Meaning'],
    membersOf(path, name)
      .filter((member) => !without.includes(member.name))
      .map(({ name: option, optional, type, says }) => [
        `\`${option}\`${optional ? '' : ' (required)'}`,
        `\`${type}\``,
        says,
      ]),
  );

const DEFINITION = 'src/core/definition';

function optionsPage() {
  const child = optionsTable(`${DEFINITION}/children/child-options.ts`, 'ChildOptions');
  return `# Options

This page lists every option of an agent, a tool, a sub-agent and a companion. An unknown option is refused with \`invalid_definition\`, which names the nearest one.

## defineAgent

${optionsTable(`${DEFINITION}/define-agent.ts`, 'AgentOptions')}

[Limits](limits.md) lists every field of \`limits\`. An agent with a \`prompt\` made by \`definePrompt\` takes \`systemPrompt\`, \`model\`, \`settings\` and \`tools\` from that prompt.

## defineTool

${optionsTable(`${DEFINITION}/define-tool.ts`, 'ToolOptions')}

## createSubAgentTool

${optionsTable(`${DEFINITION}/children/relationship.ts`, 'SubAgentOptions')}

The [options of every child](#every-child) apply, too.

## persistentAgents

Each entry defines one kind of companion.

${optionsTable(`${DEFINITION}/children/companion.ts`, 'PersistentAgent')}

The [options of every child](#every-child) apply, too.

## Every child

${child}

## serve and createWorker

\`serve(agents, options)\` is short for \`createWorker({ agents, ...options })\`.

${optionsTable('src/gateway/create-worker.ts', 'WorkerOptions')}
`;
}

/** @param {string} name */
function unitOf(name) {
  if (/Ms$/.test(name)) return 'ms';
  if (/Seconds$/.test(name)) return 's';
  if (/Bytes$/.test(name)) return 'bytes';
  if (/Usd$/.test(name)) return 'US dollars';
  if (/Tokens$/.test(name)) return 'tokens';
  if (
    /Characters$|maxShownText|maxShownName|maxName|maxCallId|maxVariable$|maxIdempotencyKey|maxKeptSubscriptions/.test(
      name,
    )
  )
    return 'characters';
  return 'count';
}

/** @param {number} value @param {string} name */
function shownValue(value, name) {
  const shown = value.toLocaleString('en-US');
  if (/Ms$/.test(name) && value >= 60_000) return `${shown} (${timeOf(value)})`;
  return /Bytes$/.test(name) && value >= 1024
    ? `${shown} (${value >= 1_048_576 ? `${value / 1_048_576} MiB` : `${value / 1024} KiB`})`
    : shown;
}

/** @param {number} ms */
function timeOf(ms) {
  /** @type {[number, string][]} */
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ];
  const [size, unit] = units.find(([one]) => ms % one === 0) ?? [1000, 's'];
  return `${ms / size} ${unit}`;
}

/** A meaning without its unit, which has a column. @param {string} says @param {string} unit */
const withoutUnit = (says, unit) => says.replace(new RegExp(`, in ${unit}(?=[.,;:])`), '');

/** @param {Tables} tables */
function limitsPage({ DEFAULT_LIMITS, DATA_LIMITS, PAGE_LIMITS, IDEMPOTENCY_MS, WIRE_LIMITS }) {
  const own = membersOf(`${DEFINITION}/limits.ts`, 'Limits');
  const limits = own.map(({ name, says }) => [
    `${name}`,
    unitOf(name),
    shownValue(DEFAULT_LIMITS[name] ?? 0, name),
    withoutUnit(says, unitOf(name)),
  ]);
  /** @param {string} path @param {string} name @param {Record<string, number>} values */
  const fixed = (path, name, values) => {
    const comments = commentsOf(path, name);
    return Object.entries(values).map(([key, value]) => [
      `${key}`,
      unitOf(key),
      shownValue(value, key),
      withoutUnit(comments.get(key) ?? '', unitOf(key)),
    ]);
  };
  const others = [
    ...fixed('src/protocol/wire/wire-limits.ts', 'WIRE_LIMITS', WIRE_LIMITS),
    ...fixed('src/protocol/data-limits.ts', 'DATA_LIMITS', DATA_LIMITS),
    [
      'page size',
      'count',
      `${PAGE_LIMITS.size}, at most ${PAGE_LIMITS.maxSize}`,
      'Items of one page of any list; `limit` of the request sets it.',
    ],
    [
      'idempotency',
      'ms',
      shownValue(IDEMPOTENCY_MS, 'Ms'),
      'How long a request with an `Idempotency-Key` is remembered.',
    ],
  ];
  return `# Limits

This page lists every limit with its unit and default.

## Limits that you set

Set these limits in the \`limits\` option of \`defineAgent\`; \`maxSteps\` is also an option itself. To limit a single sub-agent, use its \`budget\` option.

${table(['Limit', 'Unit', 'Default', 'Meaning'], limits)}

\`GET A/limits\`, where \`A\` is the [agent's address](../concepts/agent.md#address), shows the limits of an agent and their current use.

## Fixed limits

These limits apply to every server and cannot be changed.

${table(['Limit', 'Unit', 'Value', 'Meaning'], others)}
`;
}

/** @param {Tables} tables */
function errorsPage({ ERROR_CODES, ERROR_HELP }) {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, category, retryable }]) => [
    `\`${code}\``,
    String(status),
    category,
    retryable ? 'yes' : 'no',
    ERROR_HELP[code]?.means ?? '',
    ERROR_HELP[code]?.then ?? '',
  ]);
  return `# Errors

This page lists every error code, and what to do about it. \`A\` is an [agent's address](../concepts/agent.md#address). Handle errors by their \`code\`, which is stable; messages may change.

An HTTP error is an \`application/problem+json\` document. It has \`type\`, \`title\`, \`status\`, \`code\`, \`category\`, \`retryable\`, \`detail\` and \`requestId\`. The \`title\` is safe to show to anyone; \`detail\` is for developers. The same codes appear in events, in runs and in failed tool results.

For a code with "yes" under Retry, the same request may succeed later. Send it again with the same \`Idempotency-Key\`, after the time in \`retry-after\`, if the response has this header.

${table(['Code', 'HTTP', 'Category', 'Retry', 'Meaning', 'Action'], rows)}
`;
}

/** @param {Tables['CHUNKS'][string]['fields'][string]['schema']} schema @param {string} size @returns {string} */
function fieldType(schema, size) {
  const { def } = schema;
  if (def.innerType !== undefined) return fieldType(/** @type {typeof schema} */ (def.innerType), size);
  if (def.entries !== undefined)
    return Object.keys(def.entries)
      .map((one) => `'${one}'`)
      .join(' or ');
  if (def.type === 'literal') return String(def.values?.[0]);
  if (size === 'failure') return 'failure';
  if (size === 'items' || size === 'list') return 'list';
  if (size === 'json') return 'JSON';
  return def.type === 'object' ? 'usage' : def.type;
}

/** @param {Tables} tables */
function eventsPage({ CHUNKS }) {
  const comments = commentsOf('src/protocol/chunks.ts', 'CHUNKS');
  const rows = Object.entries(CHUNKS).map(([type, { fields }]) => [
    `\`${type}\``,
    Object.entries(fields)
      .map(([name, { schema, size }]) => {
        const optional = schema.def.type === 'optional' ? '?' : '';
        return `\`${name}${optional}\`: ${fieldType(schema, size)}`;
      })
      .join(', '),
    comments.get(type) ?? '',
  ]);
  return `# Events

This page lists the events of a stream with their fields. You receive events from \`GET A/stream\`, \`GET A/chunks\` and sockets, where \`A\` is the [agent's address](../concepts/agent.md#address). The API calls an event a chunk; \`chunkSchema\` from \`offshoot/protocol\` validates one.

Every event has \`type\`, \`agentId\` (the session), \`agentType\`, \`address\`, \`runId\`, \`step\`, \`attempt\` and \`timestamp\` (ms since 1970). Its sequence number is its position in the log of the tree. A field with \`?\` is optional. Ignore types that you do not know, because a newer server may send them.

A \`failure\` has \`code\`, \`title\` and \`message\`; \`usage\` has [tokens, costs and calls](../guides/http-api.md#read). A *checkpoint* is a committed step. An agent with [two sides](../guides/standard-agents.md) has two prompts that take turns. The *digest* is the [rule-based summary](../guides/long-conversations.md#who-writes-the-summary).

${table(['Type', 'Fields', 'Meaning'], rows)}
`;
}

/** @param {Operation} operation */
function bodyOf({ requestBody, parameters = [] }) {
  const content = requestBody?.content['application/json'];
  if (requestBody !== undefined && content === undefined) return 'bytes';
  const schema = content?.schema;
  const objects = [schema, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])];
  const fields = [...new Set(objects.flatMap((one) => Object.keys(one?.properties ?? {})))];
  const names = content === undefined ? parameters.filter((one) => one.in === 'query').map(({ name }) => name) : fields;
  return names.map((name) => `\`${name}\``).join(', ');
}

/** @param {Tables} tables */
function httpPage({ openApiDocument }) {
  const { paths } = openApiDocument(version(), '', '/threads');
  const AT = '/agents/{class}/{name}';
  /** @param {(path: string) => boolean} wanted @param {(path: string) => string} shown */
  const rows = (wanted, shown) =>
    Object.entries(paths)
      .filter(([path]) => wanted(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          `\`${method.toUpperCase()} ${shown(path)}\``,
          operation['x-offshoot-action'] ?? '',
          bodyOf(operation),
          operation.summary,
        ]),
      );
  const ofAgents = rows(
    (path) => path.startsWith(AT) && !path.startsWith(`${AT}/sub/`),
    (path) => path.replace(AT, 'A'),
  );
  const others = rows(
    (path) => !path.startsWith('/agents/'),
    (path) => path,
  );
  const head = ['Route', 'Permission', 'Input', 'Meaning'];
  return `# HTTP routes

This page lists every route. \`A\` is the [address](../concepts/agent.md#address) of an agent: \`/agents/{class}/{name}\`, with \`/sub/{class}/{name}\` for each level below. \`GET /openapi.json\` contains the schemas of all inputs and outputs.

The input is the JSON body of a POST, or the query of a GET. Send an \`Idempotency-Key\` with every POST and DELETE, so that a repeated request takes effect only once. Lists take \`cursor\` and \`limit\`. [Errors](errors.md) explains the error codes.

## Routes of an agent

${table(head, ofAgents)}

## Other routes

${table(head, others)}
`;
}

/** @returns {Promise<Map<string, string>>} the pages by their path */
export async function referencePages() {
  const tables = await loadTables();
  return new Map([
    ['docs/reference/options.md', optionsPage()],
    ['docs/reference/limits.md', limitsPage(tables)],
    ['docs/reference/errors.md', errorsPage(tables)],
    ['docs/reference/events.md', eventsPage(tables)],
    ['docs/reference/http.md', httpPage(tables)],
  ]);
}
