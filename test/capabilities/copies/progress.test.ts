import { expect, it } from 'vitest';
import { COPY_SILENCE_MS } from '../../../src/capabilities/copies/plan';
import { AtMost, CopyProgress, SILENT } from '../../../src/capabilities/copies/progress';
import { VirtualTime } from '../../support/virtual-time';

/** Follows a copy to places of which each has heard something so long ago, until it is given up or that time is over. */
async function followed(heardAgo: readonly number[], forMs: number) {
  const time = new VirtualTime();
  const began = time.now;
  const progress = new CopyProgress<number>(time.environment, async ({ to }) => ({
    ok: true,
    body: heardAgo[to] ?? 0,
  }));
  const never = new Promise<never>(() => undefined);
  for (const to of heardAgo.keys()) void progress.follow({ to, way: [] }, never);
  let over: unknown;
  const ends = progress
    .until(() => never)
    .then((answer) => {
      over = answer;
    });
  await time.until(() => over !== undefined || time.now - began > forMs);
  return { over, afterMs: time.now - began, ends };
}

it('[CP24] a copy to several places goes on as long as something comes to one of them', async () => {
  const long = COPY_SILENCE_MS * 10;
  for (const heard of [
    [0, COPY_SILENCE_MS * 2],
    [COPY_SILENCE_MS * 2, 0],
  ])
    expect((await followed(heard, long)).over).toBeUndefined();
});

it('[CP24] a copy of which nothing has come to any place for so long is given up', async () => {
  const { over, afterMs } = await followed([COPY_SILENCE_MS + 1, COPY_SILENCE_MS * 2], COPY_SILENCE_MS * 10);
  expect(over).toEqual(SILENT);
  expect(afterMs).toBeLessThanOrEqual(COPY_SILENCE_MS * 2);
});

it('[CP19] so many works are under way at once, in the order in which they came, however those before them end', async () => {
  for (const most of [1, 2, 4])
    for (const failing of [() => false, () => true, (work: number) => work % 2 === 0, (work: number) => work < most]) {
      const time = new VirtualTime();
      const places = new AtMost(most);
      const begun: number[] = [];
      let underWay = 0;
      const work = async (number: number): Promise<number> => {
        begun.push(number);
        expect(++underWay).toBeLessThanOrEqual(most);
        await new Promise<void>((resolve) => time.environment.timer(10, resolve));
        underWay--;
        if (failing(number)) throw new Error(String(number));
        return number;
      };
      // Twice, so that the second ones find what the first have left.
      for (const first of [0, 10]) {
        const numbers = Array.from({ length: 10 }, (_, index) => first + index);
        const ended = numbers.map((): unknown => 'not ended');
        for (const [index, number] of numbers.entries())
          places
            .take(() => work(number))
            .catch((error: Error) => `failed ${error.message}`)
            .then((end) => {
              ended[index] = end;
            });
        await time.pass(0);
        expect(underWay).toBe(most);
        await time.pass(200);
        expect(ended).toEqual(numbers.map((number) => (failing(number) ? `failed ${number}` : number)));
      }
      expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index));
    }
});
