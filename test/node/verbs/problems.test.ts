import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../../src/protocol/problems';
import { startInput, submitInput } from '../../../src/protocol/requests';

type Read = { success: true } | { success: false; error: Parameters<typeof problemsOf>[0] };
const said = (read: Read): string => (read.success ? 'It fits.' : problemsOf(read.error));

describe('a request that does not fit', () => {
  it.each([
    [startInput, { mesage: 'Hi' }, 'There is no field `mesage`.'],
    [startInput, { message: 'Hi', wait: 'soon' }, '`wait` fits none of its forms: '],
    [startInput, {}, 'Give `message` or `input`.'],
    [startInput, { message: 'Hi', to: 'x' }, '`to` must be one of "side_a", "side_b".'],
    [startInput, { message: 'Hi', displayName: 7 }, '`displayName`: expected string, received number.'],
    [submitInput, { kind: 'yes', toolCallId: 'c' }, '`kind` must be one of "client-tool-result", "approval-response".'],
  ])('[A123] is answered with its field and what that takes: %#', (schema, body, text) => {
    const problem = said(schema.safeParse(body));
    expect(problem).toContain(text);
    expect(problem).toMatch(/^[^→✖\n]*\.$/);
  });

  it('[A123] names a field within a list', () => {
    const files = [{ path: 'a', content: 'x', size: 7 }];
    expect(said(startInput.safeParse({ message: 'Hi', files }))).toContain(' `files[0]');
  });

  it('[A123] is cut at a limit', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_${at}`, 1]));
    const read = startInput.safeParse({ message: 'Hi', ...many });
    expect(read.success ? '' : problemsOf(read.error, 100)).toHaveLength(100);
  });
});
