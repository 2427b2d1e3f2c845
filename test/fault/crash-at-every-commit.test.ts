/**
 * A crash of everything in memory at each commit of a tree of three levels, in workerd. Only the root's alarm brings
 * the tree back: no client asks for anything before it has ended.
 */
import { runDurableObjectAlarm } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { address, post } from '../support/api';
import { calls, type PuppetStep, told } from '../support/puppet';
import { figures, NIGHTLY } from '../support/sizes';
import { atEveryCommit } from './driven';
import { atRest, checkLog, evidence, rootOf, transcripts } from './evidence';
import { Process } from './process';

/** How often the store is looked at, in ms. */
const LOOK = { interval: 2 };
/** Commits of the tree below, at least: starts, replies, results and posts of seven agents. */
const AT_LEAST = 40;

const note = (text: string) => ({ name: 'note', input: { text } });
const leaf = (text: string): PuppetStep[] => [{ calls: [note(text)] }, { text }];
const middle = (text: string): PuppetStep[] => [calls('leaf', leaf(`${text}1`), leaf(`${text}2`)), { text }];
const children = calls('middle', middle('a'), middle('b')).calls ?? [];
const message = told({ text: 'Let us see.', calls: [...children, note('x')] }, { text: 'All done.' });

let process: Process;
beforeAll(async () => {
  process = await Process.hold(rootOf('/agents/top/held'));
});

/** Waits until the tree is at rest, or the process has ended at its commit. */
const settled = (at: string) =>
  vi.waitFor(async () => {
    if (!process.ended) expect(atRest(await evidence(at))).toBe(true);
  }, LOOK);

const totals = { trees: 0, crashes: 0 };
figures('ends of the process in workerd', () => `${totals.trees} trees, ${totals.crashes} crashes`);

/** Runs the tree with an end of the process at each of these commits, each counted from the recovery before it. */
async function ran(endsAt: readonly number[]) {
  const at = address();
  const what = `ends at ${endsAt.join(', then ')}`;
  process.begin(endsAt[0] ?? 0);
  const answered = post(`${at}/start`, { message }).catch(() => undefined);
  let crashes = 0;
  await settled(at);
  while (process.ended) {
    await process.crash();
    crashes++;
    process.begin(endsAt[crashes] ?? 0);
    expect(await runDurableObjectAlarm(rootOf(at)), `${what}: the alarm after crash ${crashes}`).toBe(true);
    await settled(at);
  }
  totals.trees++;
  totals.crashes += crashes;
  process.begin(0);
  await answered;
  const found = await evidence(at);
  expect(
    found.nodes.map(({ status }) => status),
    what,
  ).toEqual(Array(7).fill('completed'));
  checkLog(found, what);
  return { crashes, transcripts: await transcripts(at, found) };
}

describe('a crash of workerd at every commit', () => {
  it('[RC6, RC2, RC5, RT1, RT2, RT3, DL3, MS1, RN4, TR1, TR2, LG1, OB1, OB2] ends in the same transcripts', async () => {
    const calm = await ran([]);
    const commits = await atEveryCommit(3, async (commit) => {
      const found = await ran([commit]);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      return found.crashes;
    });
    expect(commits).toBeGreaterThan(AT_LEAST);
  });

  it('[RC6, RC2, RC5, RT2, DL3] ends in the same transcripts when the recovery is cut off as well', async () => {
    const calm = await ran([]);
    for (let commit = 1; commit <= AT_LEAST; commit += NIGHTLY ? 1 : 9) {
      const found = await ran([commit, 1 + (commit % 5), 1 + (commit % 7)]);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      expect(found.crashes, `commit ${commit}`).toBe(3);
    }
  });
});
