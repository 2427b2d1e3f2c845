/** What the pages of the reference promise in numbers, against the tables that decide it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/definition/limits';
import { DATA_LIMITS } from '../../src/protocol/data-limits';
import { codeFacts, ERROR_CODES, failure, isErrorCode, shownFailure, titleOf } from '../../src/protocol/errors';
import { problemOf } from '../../src/protocol/problem';
import { WIRE_LIMITS } from '../../src/protocol/wire/wire-limits';

/** The cells of each row of the tables of a page. */
const rowsOf = (page: string): string[][] =>
  readFileSync(`docs/reference/${page}.md`, 'utf8')
    .split('\n')
    .filter((line) => /^\| `?\w/u.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''))
        .slice(1, -1),
    );

it('[A22, CL4] each code has the status, the category and the answer to a retry that the reference tells', () => {
  const rows = rowsOf('errors').filter(([code = '']) => isErrorCode(code));
  expect(rows.map(([code]) => code)).toEqual(Object.keys(ERROR_CODES));
  for (const [code = '', status, category, retry] of rows) {
    if (!isErrorCode(code)) continue;
    const failed = failure(code, 'It broke.', undefined, { a: 1 });
    const retryable = retry === 'yes';
    const { title } = ERROR_CODES[code];
    expect(codeFacts(code)).toEqual({ status: Number(status), title });
    expect(titleOf(code)).toEqual({ title });
    expect(failed).toEqual({ code, category, message: 'It broke.', retryable, details: { a: 1 } });
    expect(shownFailure(failed)).toEqual({ ...failed, title });
    const detail = code === 'internal' ? 'Look for the request id in the log of the server.' : 'It broke.';
    expect(problemOf(failed, 'q_1')).toEqual({
      ...{ type: `urn:offshoot:error:${code}`, title, status: Number(status), code, category, retryable, detail },
      ...{ requestId: 'q_1', details: { a: 1 } },
    });
    for (const said of [true, false])
      expect(failure(code, undefined, said)).toEqual({ code, category, message: title, retryable: said });
  }
});

it('[DF3] each limit is what the reference says', () => {
  const said = rowsOf('limits').map(([name, , value = '']) => `${name} ${value.replaceAll(/\(.*\)|,/gu, '').trim()}`);
  const limits = [DEFAULT_LIMITS, WIRE_LIMITS, DATA_LIMITS].flatMap((table) => Object.entries(table));
  expect(limits.length).toBeGreaterThan(70);
  for (const [name, value] of limits) expect(said).toContain(`${name} ${value}`);
});
