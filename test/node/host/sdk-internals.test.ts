import { expect, it } from 'vitest';
import { readSources } from '../../../scripts/lib/source.mjs';
import { SDK_GETTERS, SDK_METHODS } from '../../support/sdk-internals';

const HOME = 'src/host/sdk-internals.ts';
/** A member of an object whose name the SDK marks as its own. */
const MEMBER = /(?<=[.\s'"])_[A-Za-z]\w*(?=\(|\.|'\]|:)/g;

const membersIn = (text: string): string[] => [...text.matchAll(MEMBER)].map(([name]) => name);

it('[F19] uses the private members of the SDK that are listed, and those in one file', () => {
  const sources = readSources(['src']).filter(({ path }) => !/^src\/(cli|desk)\//.test(path));
  const home = sources.find(({ path }) => path === HOME);
  expect([...new Set(membersIn(home?.text ?? ''))].sort()).toEqual(
    [...Object.keys(SDK_METHODS), ...SDK_GETTERS].sort(),
  );
  const elsewhere = sources.filter(({ path, text }) => path !== HOME && /\b_(?:cf|unsafe|on|dynamic)\w*\(/.test(text));
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});
