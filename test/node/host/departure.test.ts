import { describe, expect, it } from 'vitest';
import { Departure } from '../../../src/host/departure';
import { VirtualTime } from '../../support/virtual-time';

/** An object that is asked, and goes; with what it did and when. */
function going() {
  const time = new VirtualTime();
  const begin = time.now;
  const did: [what: string, at: number][] = [];
  let empty = true;
  const departure = new Departure({
    timer: (ms, callback) => time.environment.timer(ms, callback),
    isEmpty: () => empty,
    leave() {
      empty = false;
      did.push(['leaves', time.now - begin]);
      departure.endOnceQuiet();
    },
    end: () => void did.push(['ends', time.now - begin]),
  });
  const ask = (): void => {
    departure.called();
    departure.answered();
  };
  const fill = (): void => {
    empty = false;
  };
  return { time, did, ask, departure, fill };
}

describe('an object that holds nothing', () => {
  it('[A50] stays 50 ms for the next call, then goes and ends', async () => {
    const { time, did, ask } = going();
    ask();
    await time.pass(45);
    expect(did).toEqual([]);
    ask();
    await time.pass(44);
    expect(did).toEqual([]);
    await time.drain();
    expect(did).toEqual([
      ['leaves', 90],
      ['ends', 100],
    ]);
  });

  it('[A50] stays for good once something was begun in it', async () => {
    const { time, did, ask, fill } = going();
    ask();
    await time.pass(49);
    fill();
    await time.drain();
    expect(did).toEqual([]);
  });

  it('[A50] ends when nobody has asked it for 30 ms while it goes', async () => {
    const { time, did, departure } = going();
    departure.called();
    departure.endOnceQuiet();
    await time.pass(25);
    departure.called();
    await time.pass(24);
    expect(did).toEqual([]);
    await time.drain();
    expect(did).toEqual([['ends', 50]]);
  });

  it('[A50] ends after 600 ms though it is asked on and on', async () => {
    const { time, did, departure } = going();
    departure.endOnceQuiet();
    for (let ms = 0; ms < 700; ms += 10) {
      departure.called();
      await time.pass(10);
    }
    expect(did).toEqual([['ends', 600]]);
  });
});
