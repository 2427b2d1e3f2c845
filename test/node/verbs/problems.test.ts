import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { problemsOf } from '../../../src/protocol/content/problems';
import { startInput, submitInput } from '../../../src/protocol/wire/requests';

const said = (schema: z.ZodType, body: unknown, max?: number): string => {
  const read = schema.safeParse(body);
  return read.success ? 'It fits.' : problemsOf(read.error, max);
};
const ofStart = (body: unknown): string => said(startInput, body);
const ofAnswer = (body: unknown): string => said(submitInput, body);

describe('a request that does not fit', () => {
  it.each([
    ['a wrong name', ofStart({ mesage: 'Hi' }), 'There is no field `mesage`.'],
    ['a union', ofStart({ message: 'Hi', wait: 'soon' }), '`wait` fits none of its forms: `wait`: expected boolean'],
    ['a part of a union', ofStart({ message: [{ type: 'sound' }] }), '`message[0].type` must be one of'],
    ['a rule', ofStart({}), 'Give `message` or `input`.'],
    ['a choice', ofStart({ message: 'Hi', to: 'x' }), '`to` must be one of "side_a", "side_b".'],
    ['a kind', ofStart({ message: 'Hi', displayName: 7 }), '`displayName`: expected string, received number.'],
    ['a form', ofAnswer({ kind: 'yes' }), '`kind` must be one of "client-tool-result", "approval-response".'],
    ['a list', ofStart({ message: 'Hi', files: [{ path: 'a', content: 'x', size: 7 }] }), ' `files[0]'],
  ])('[A123] is refused in a sentence that names the field: %s', (_, problem, text) => {
    expect(problem).toContain(text);
    expect(problem).toMatch(/^[^→✖\n]*\.$/);
  });

  it('[A123] is refused in a text of bounded length', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_${at}`, 1]));
    expect(said(startInput, { message: 'Hi', ...many }, 100)).toHaveLength(100);
  });
});
