/** What a person looks for among the agents: words, and `status: type: tool: is:waiting has:error`. */
import { isEnded } from '../../../client';
import { said } from '../../parts/words';
import type { Row } from './outline';

type Test = (row: Row) => boolean;

const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part);

function testOf(word: string): Test {
  const [, key = '', value = ''] = /^(status|type|tool|is|has):(.*)$/u.exec(word) ?? [];
  switch (key) {
    case 'status':
      return ({ status }) => includes(status, value) || includes(said(status).says, value);
    case 'type':
      return ({ agentType }) => includes(agentType, value);
    case 'tool':
      return ({ tools }) => tools.some((tool) => includes(tool, value));
    case 'is':
      return ({ status, waiting }) => (value === 'waiting' ? waiting > 0 && !isEnded(status) : includes(status, value));
    case 'has':
      return ({ error, status }) => value === 'error' && (error !== undefined || status === 'failed');
    default:
      return (row) => {
        const texts = [row.agentType, row.address, row.task, row.activity, row.status, row.name ?? '', ...row.tools];
        return texts.some((text) => includes(text, word));
      };
  }
}

/** The test that a filter's text makes: all of its words; undefined for one without any. */
export function filterOf(text: string): Test | undefined {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return undefined;
  const tests = words.map(testOf);
  return (row) => tests.every((test) => test(row));
}

/** A filter that is looked for often. */
export interface Preset {
  readonly says: string;
  readonly text: string;
  /** The agents that it finds. */
  readonly count: number;
}

const PRESETS = [
  { says: 'All', text: '' },
  { says: 'Waiting', text: 'is:waiting' },
  { says: 'Failed', text: 'has:error' },
  { says: 'Interrupted', text: 'is:interrupted' },
] as const;

/** The filters that are looked for most, each with the agents that it finds. */
export const presetsOf = (rows: readonly Row[]): readonly Preset[] =>
  PRESETS.map(({ says, text }) => ({ says, text, count: rows.filter(filterOf(text) ?? (() => true)).length }));
