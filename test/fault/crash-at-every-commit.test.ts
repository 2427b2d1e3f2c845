/**
 * A crash of everything in memory at each commit of a tree of three levels, of an interrupt with its resume, of an approval
 * three levels down, and of an abort, in workerd. Only the root's alarm brings the tree back: no client asks for anything
 * before it has ended, or repeats what was acknowledged.
 */
import { runDurableObjectAlarm } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { address, get, post } from '../support/api';
import { asks, calls, cameTo, openGate, type PuppetStep, told } from '../support/puppet';
import { figures, NIGHTLY } from '../support/sizes';
import { atEveryCommit, Driven, noRepeats, type Repeats, statuses } from './driven';
import { atRest, checkLog, type Evidence, evidence, rootOf, transcripts } from './evidence';
import { Process } from './process';

let process: Process;
beforeAll(async () => {
  process = await Process.hold(rootOf('/agents/top/held'));
});
// A test that failed may have left a process that has ended.
beforeEach(async () => {
  process.begin(0);
  await process.crash();
});

const tally = (text: string, gate?: string): PuppetStep =>
  asks(['tally', gate === undefined ? { text } : { text, gate }]);

/** Three levels: below each of two middles one leaf in its model call and one in a tool body, all at the gate. */
function atGate(gate: string): string {
  const leaves = (text: string): PuppetStep[][] => [
    [tally(`${text}1`), { gate, text: `${text}1` }],
    [tally(`${text}2`, gate), { text: `${text}2` }],
  ];
  const middle = (text: string): PuppetStep[] => [calls('leaf', ...leaves(text)), { text }];
  return told(calls('middle', middle('a'), middle('b')), { text: 'All done.' });
}
const AT_GATE = 4;
const AGENTS = 7;

/** A tree whose leaves are all at the gate, and a client that counts commits from there on. */
async function drivenAtGate(endsAt: readonly number[], what: string): Promise<{ drive: Driven; gate: string }> {
  const drive = new Driven(process, endsAt, what);
  const gate = crypto.randomUUID();
  await drive.surely('start', { message: atGate(gate) });
  await vi.waitFor(() => expect(cameTo(gate)).toBe(AT_GATE), { interval: 2 });
  // Whoever waits has told the root so.
  await drive.until(
    (found) => found.nodes.length === AGENTS && found.nodes.slice(3).every(({ lastChunk }) => lastChunk > 4),
  );
  drive.count();
  return { drive, gate };
}

/** Transcripts that can be compared: each tree has a gate of its own. */
async function comparable(at: string, found: Evidence, gate: string): Promise<unknown> {
  return JSON.parse(JSON.stringify(await transcripts(at, found)).replaceAll(gate, 'gate'));
}

/** Says how often something began again, beside how often it would have without a crash: a resume begins again what its interrupt cut off. */
function said(what: string, { trees, crashes, begun, again, most }: Repeats, calm: Repeats): void {
  const without = calm.again * trees;
  console.log(
    `Figures: ${what}: ${crashes} crashes in ${trees} trees; ${begun} model calls and bodies, ${again} of them again (${without} without a crash), one thing ${most} times at most`,
  );
}

describe('a crash of workerd at every commit of a control', () => {
  it('[RC5, RC6, RC2, SP9, RN4, TR2, MS1, A18] an interrupt and the resume after it ends in the same transcripts', async () => {
    const [repeats, calmRepeats] = [noRepeats(), noRepeats()];
    const run = async (endsAt: readonly number[]) => {
      const what = `ends at ${endsAt.join(', then ')}`;
      const { drive, gate } = await drivenAtGate(endsAt, what);
      await drive.surely('interrupt', { reason: 'enough for now' });
      const stopped = await drive.until((found) => atRest(found));
      expect(statuses(stopped), what).toEqual(Array(AGENTS).fill('interrupted'));
      openGate(gate);
      await drive.surely('resume', {});
      const found = await drive.until((one) => atRest(one) && one.nodes[0]?.status !== 'interrupted');
      expect(statuses(found), what).toEqual(Array(AGENTS).fill('completed'));
      drive.close(endsAt.length === 0 ? calmRepeats : repeats, 1);
      checkLog(found, what, ['run_interrupted', 'run_completed']);
      return { crashes: drive.crashes, transcripts: await comparable(drive.at, found, gate) };
    };
    const calm = await run([]);
    const commits = await atEveryCommit(11, async (commit) => {
      const found = await run([commit]);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      return found.crashes;
    });
    expect(commits).toBeGreaterThan(60);
    expect(repeats.crashes).toBeGreaterThan(5);
    said(`An interrupt and its resume, about ${commits} commits`, repeats, calmRepeats);
  });

  /** One chain of three whose leaf asks; counted from the start on. */
  const chain = told(
    calls('middle', [calls('leaf', [tally('x'), asks(['announce', { text: 'y' }]), { text: 'l' }]), { text: 'm' }]),
    {
      text: 't',
    },
  );

  async function approved(endsAt: readonly number[], repeats: Repeats) {
    const what = `ends at ${endsAt.join(', then ')}`;
    const drive = new Driven(process, endsAt, what);
    drive.count();
    await drive.surely('start', { message: chain });
    const waits = await drive.until(
      (one) => one.nodes.length === 3 && one.nodes.every(({ schedule }) => schedule.phase === 'waiting'),
    );
    expect(statuses(waits), what).toEqual([
      'suspended_awaiting_children',
      'suspended_awaiting_children',
      'suspended_client_tool',
    ]);
    const { body } = await get(`${drive.at}/pending`);
    const [item] = body.items;
    await drive.surely('tool-results', {
      kind: 'approval-response',
      toolCallId: item?.toolCallId ?? '',
      approved: true,
    });
    const found = await drive.until((one) => atRest(one));
    expect(statuses(found), what).toEqual(Array(3).fill('completed'));
    drive.close(repeats);
    checkLog(found, what);
    const log = found.rows.flatMap(({ chunks }) => chunks);
    expect(
      log.filter(({ type }) => type === 'tool_answered'),
      what,
    ).toHaveLength(1);
    expect(
      log.filter(({ type }) => type === 'tool_approval_request'),
      what,
    ).toHaveLength(1);
    return { crashes: drive.crashes, transcripts: await transcripts(drive.at, found) };
  }

  it('[RC5, RC6, RC2, RT2, RT3, DL3, OB4, TR2, MS1, A18, A34] an approval three levels down, and its answer, ends in the same transcripts', async () => {
    const [repeats, calmRepeats] = [noRepeats(), noRepeats()];
    const calm = await approved([], calmRepeats);
    const commits = await atEveryCommit(4, async (commit) => {
      const found = await approved([commit], repeats);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      return found.crashes;
    });
    expect(commits).toBeGreaterThan(30);
    said(`An approval three levels down, about ${commits} commits`, repeats, calmRepeats);
  });

  it('[RC5, RC6, RC2, DL3, OB4] an approval three levels down ends the same when the recovery is cut off as well', async () => {
    const [repeats, calmRepeats] = [noRepeats(), noRepeats()];
    const calm = await approved([], calmRepeats);
    await atEveryCommit(10, async (commit) => {
      const found = await approved([commit, 1 + (commit % 4), 1 + (commit % 3)], repeats);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      return found.crashes;
    });
    said('An approval three levels down, with three crashes each', repeats, calmRepeats);
  });

  it('[RC5, RC6, RC2, SP9, RN4, TR2, MS1, A18] an abort ends in the same transcripts', async () => {
    const [repeats, calmRepeats] = [noRepeats(), noRepeats()];
    const run = async (endsAt: readonly number[]) => {
      const what = `ends at ${endsAt.join(', then ')}`;
      const { drive, gate } = await drivenAtGate(endsAt, what);
      await drive.surely('abort', { reason: 'no more' });
      const found = await drive.until((one) => atRest(one));
      expect(statuses(found), what).toEqual(Array(AGENTS).fill('failed'));
      drive.close(endsAt.length === 0 ? calmRepeats : repeats);
      checkLog(found, what, ['run_failed']);
      return { crashes: drive.crashes, transcripts: await comparable(drive.at, found, gate) };
    };
    const calm = await run([]);
    const commits = await atEveryCommit(8, async (commit) => {
      const found = await run([commit]);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
      return found.crashes;
    });
    expect(commits).toBeGreaterThan(16);
    said(`An abort, about ${commits} commits`, repeats, calmRepeats);
  });
});

/** How often the store is looked at, in ms. */
const LOOK = { interval: 2 };
/** Commits of the tree below, at least: starts, replies, results and posts of seven agents. */
const AT_LEAST = 40;

const note = (text: string) => ({ name: 'note', input: { text } });
const leaf = (text: string): PuppetStep[] => [{ calls: [note(text)] }, { text }];
const middle = (text: string): PuppetStep[] => [calls('leaf', leaf(`${text}1`), leaf(`${text}2`)), { text }];
const CHILDREN = calls('middle', middle('a'), middle('b')).calls ?? [];
const MESSAGE = told({ text: 'Let us see.', calls: [...CHILDREN, note('x')] }, { text: 'All done.' });

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
  const answered = post(`${at}/start`, { message: MESSAGE }).catch(() => undefined);
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

describe('a crash of workerd at every commit of a tree', () => {
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
