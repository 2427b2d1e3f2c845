/**
 * The issues of a schema as sentences for a developer: each names its field and the values that it takes.
 *
 * Keeps A123.
 */
import type * as z from 'zod';
import { beginningOf } from './cut';
import { sentence } from './sentence';

/** The issues in one text of at most `max` characters. */
export function problemsOf({ issues }: Pick<z.core.$ZodError, 'issues'>, max = 1_000): string {
  return beginningOf([...new Set(issues.map((issue) => problemOf(issue)))].join(' '), max);
}

/** One issue as a sentence. `above`: the path of the union whose form it is of. */
function problemOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): string {
  const path = [...above, ...issue.path];
  const at = fieldOf(path);
  switch (issue.code) {
    case 'custom':
      return at === undefined ? sentence(issue.message) : sentence(`${at}: ${issue.message}`);
    case 'unrecognized_keys': {
      const names = issue.keys.map((key) => `\`${key}\``).join(', ');
      return `There is no field ${names}${at === undefined ? '' : ` in ${at}`}.`;
    }
    case 'invalid_union':
      return unionProblem(issue, at ?? 'The body', path);
    case 'invalid_value':
      return `${at ?? 'The body'} must be ${oneOf(issue.values)}.`;
    default:
      return sentence(`${at ?? 'The body'}: ${withoutPrefix(issue.message)}`);
  }
}

function unionProblem(issue: z.core.$ZodIssueInvalidUnion, at: string, path: readonly PropertyKey[]): string {
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
  if (options.length > 0) return `${at} must be ${oneOf(options)}.`;
  const forms = issue.errors.map((issues) => issues.map((inner) => problemOf(inner, path)).join(' '));
  return forms.length === 0 ? `${at} has an invalid value.` : `${at} fits none of its forms: ${forms.join(' Or: ')}`;
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;

const withoutPrefix = (message: string): string => message.replace(/^Invalid input: /, '');

/** A field by its path, such as `files[0].path`; undefined for the value as a whole. */
function fieldOf(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  const words = path.map((part, at) =>
    typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`,
  );
  return `\`${words.join('')}\``;
}
