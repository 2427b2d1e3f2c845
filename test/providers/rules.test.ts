import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anthropic } from './anthropic';
import { chat } from './chat';
import { deepseek, mistral } from './compatible';
import { responses } from './responses';
import { workersAi } from './workers-ai';

/** The shape of each provider's errors, and the only statuses that refusals have. */
const SHAPES = [
  {
    api: anthropic,
    shape: {
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.any(String) },
      request_id: expect.stringMatching(/^req_/),
    },
  },
  { api: chat, shape: openaiShape() },
  { api: responses, shape: openaiShape() },
  {
    api: mistral,
    shape: {
      object: 'error',
      message: expect.anything(),
      type: expect.stringMatching(/^invalid_/),
      param: null,
      code: expect.toBeOneOf([null, expect.stringMatching(/^\d+$/)]),
    },
  },
  { api: deepseek, shape: { error: { ...openaiShape().error, code: 'invalid_request_error' } } },
  {
    api: workersAi,
    shape: {
      errors: [{ message: expect.any(String), code: expect.any(Number) }],
      success: false,
      result: {},
      messages: [],
    },
  },
];

function openaiShape() {
  return {
    error: {
      message: expect.any(String),
      type: 'invalid_request_error',
      param: expect.toBeOneOf([null, expect.any(String)]),
      code: expect.toBeOneOf([null, expect.any(String)]),
    },
  };
}

/** Refusals that come from before the API, in a shape that the API does not have. */
const OWN: Readonly<Record<string, object>> = {
  'anthropic/bytes': { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
};

/** Statuses other than 400. */
const STATUSES: Readonly<Record<string, number>> = {
  'anthropic/bytes': 413,
  'chat/bytes': 413,
  'responses/bytes': 413,
  'responses/not-stored': 404,
  'mistral/json': 422,
  'mistral/required': 422,
  'mistral/unknown-field': 422,
  'mistral/stream-options': 422,
  'mistral/unknown-field-of-message': 422,
  'workers-ai/window': 413,
};

const CASES = SHAPES.flatMap(({ api, shape }) =>
  api.rules.map((rule) => ({ name: `${api.kind}/${rule.id}`, api, rule, shape })),
);

describe('rules of providers', () => {
  it.each(CASES)('[PV1] $name refuses its example, and no rule before it does', ({ name, api, rule, shape }) => {
    expect(api.problem(rule.refuses, rule.limits)).toEqual({
      rule: rule.id,
      status: STATUSES[name] ?? 400,
      body: OWN[name] ?? shape,
    });
  });

  it.each(CASES)('[PV2] $name takes a request that is just within it', ({ api, rule }) => {
    expect(api.problem(rule.takes, rule.limits)).toBeUndefined();
  });

  it.each(CASES)('[PV1] $name states its demand and a source', ({ rule }) => {
    expect(rule.says).toMatch(/^[A-Z"'].*\.$/);
    expect(rule.source).toMatch(/https:\/\/|^quoted in public code \(|^openai\/|^mistralai\/|^RFC /);
  });

  it('[PV1] has no two rules of one id in a table, and no status or shape for a rule that is gone', () => {
    const names = CASES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [...Object.keys(STATUSES), ...Object.keys(OWN)]) expect(names).toContain(name);
  });

  it('[PV1] has the rules in the README as they are here, and no other', () => {
    const rows = CASES.map(({ rule: { id, certainty, says, source } }) => {
      const mark = certainty === 'reported' ? ' (reported)' : '';
      return `| \`${id}\`${mark} | ${says} | ${source.replaceAll('|', '\\|')} |`;
    });
    const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
    expect(text.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });

  it('[PV10] skips rules of single reports on demand', () => {
    const reported = CASES.filter(({ rule }) => rule.certainty === 'reported');
    expect(reported.length).toBeGreaterThan(5);
    for (const { api, rule } of reported) {
      expect(api.problem(rule.refuses, { ...rule.limits, reported: false })).toBeUndefined();
    }
  });

  it.each(SHAPES)('[PV1] judges anything without throwing', ({ api, shape }) => {
    const odd = [
      '',
      'null',
      '[]',
      '{}',
      '"text"',
      '{"model":"@cf/m/m","messages":[null],"input":[null],"max_tokens":1}',
    ];
    for (const text of odd) {
      const { status, body } = api.problem(text) ?? {};
      expect({ text, status: status === 422 ? 400 : status, body }).toEqual({ text, status: 400, body: shape });
    }
  });
});
