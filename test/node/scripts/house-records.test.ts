/** Fields of records, as the house counts them. */
import { describe, expect, it } from 'vitest';
import { readTypes, sizeOf } from '../../../scripts/lib/house/records.mjs';
import { parseSource } from '../../../scripts/lib/source.mjs';

/** The size of a record in a project of these files. */
function size(name: string, files: Readonly<Record<string, string>>) {
  const sources = Object.entries(files).map(([path, text]) => parseSource(path, text));
  return sizeOf(readTypes(sources).cases(name));
}

/** A project of one file. */
const inOne = (name: string, text: string) => size(name, { 'src/one.ts': text });

describe('fields of records', () => {
  it('[HS4] optional fields and flags are counted apart', () => {
    const text = `export interface Run { id: string; end?: number; asked?: true; open?: boolean; done: boolean; 'x-y'?: 'a' | 'b' }`;
    expect(inOne('Run', text)).toEqual({ cases: 1, fields: 6, optional: 4, flags: 2 });
  });

  it('[HS4] bases count in another file too, also where a file between exports them again', () => {
    const files = {
      'src/a/base.ts': 'export interface Base { id: string; at?: number }',
      'src/a/index.ts': `export type { Base as Facts } from './base';`,
      'src/node.ts': `import type { Facts } from './a';\nexport interface Node extends Facts { id: string; kind: 'x' }`,
    };
    expect(size('Node', files)).toMatchObject({ cases: 1, fields: 3, optional: 1 });
  });

  it('[HS4] the parts of an intersection are one record, and each case of a union is one', () => {
    const text = `type Base = { id: string; by?: string };
      export type Run = Base & ({ phase: 'on'; stop?: true; hook?: string } | { phase: 'off'; a: 1; b: 2 });`;
    expect(inOne('Run', text)).toEqual({ cases: 2, fields: 5, optional: 3, flags: 1 });
  });

  it('[HS4] utility types and types with parameters are followed', () => {
    const text = `interface All { a: 1; b?: true; c?: 3 }
      export type Some = Pick<All, 'a' | 'b'>;
      export type Less = Readonly<Omit<All, 'b'>>;
      export type May = Partial<All>;
      export type Must = Required<All>;
      type Event = { at: number } & ({ type: 'x'; one: 1 } | { type: 'y'; two: 2; more: 3 } | { type: 'z' });
      type Sent<E> = E extends unknown ? Omit<E, 'at'> : never;
      export type Message = Sent<Extract<Event, { type: 'x' | 'z' }>>;
      export type Other = Exclude<Event, { type: 'x' | 'z' }>;`;
    expect(inOne('Some', text)).toMatchObject({ fields: 2, optional: 1, flags: 1 });
    expect(inOne('Less', text)).toMatchObject({ fields: 2, optional: 1, flags: 0 });
    expect(inOne('May', text)).toMatchObject({ fields: 3, optional: 3 });
    expect(inOne('Must', text)).toMatchObject({ fields: 3, optional: 0, flags: 0 });
    expect(inOne('Message', text)).toMatchObject({ cases: 2, fields: 2 });
    expect(inOne('Other', text)).toMatchObject({ cases: 1, fields: 4 });
  });

  it('[HS3] a record that is gone, or is there twice, fails with a message that names the list', () => {
    expect(() => inOne('Child', 'export interface Chld { a: 1 }')).toThrow(
      'The record Child is not counted: no type has this name. Edit the list in scripts/lib/house/figures.mjs.',
    );
    const twice = { 'src/a.ts': 'type Child = { a: 1 }', 'src/b.ts': 'interface Child { b: 1 }' };
    expect(() => size('Child', twice)).toThrow('2 types have this name (src/a.ts, src/b.ts)');
  });

  it('[HS3] a record is found wherever it is declared; what cannot be counted fails with its place', () => {
    expect(size('Child', { 'src/kernel/deep/child.ts': 'interface Child { a: 1 }' })).toMatchObject({ fields: 1 });
    expect(() => inOne('Child', '\nexport type Child = string;')).toThrow('src/one.ts:2: ');
    expect(() => inOne('Child', 'export type Child = Foreign<1>;')).toThrow('Foreign<1>');
  });
});
