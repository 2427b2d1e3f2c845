// An open stream of an agent, whose chunks are timed as they come in.

/** @typedef {Record<string, unknown>} Chunk */

/**
 * Opens a stream, and waits until it is up to date.
 * @param {string} url
 * @returns {Promise<{ first: (is: (chunk: Chunk) => boolean) => Promise<number>, close: () => Promise<void> }>} `first`
 *   gives when the first such chunk came from now on, as `performance.now()` has it
 */
export async function openStream(url) {
  const answer = await fetch(url, { headers: { accept: 'text/event-stream' } });
  if (!answer.ok || !answer.body) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  /** @type {{ is: (chunk: Chunk) => boolean, settle: (at: number) => void }[]} */
  let wanted = [];
  /** @type {() => void} */
  let upToDate = () => undefined;
  /** @type {Promise<void>} */
  const ready = new Promise((settle) => {
    upToDate = settle;
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const reading = (async () => {
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const at = performance.now();
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        if (event.includes('event: up-to-date')) upToDate();
        const chunk = chunkOf(event);
        if (chunk === undefined) continue;
        const [found, others] = [wanted.filter(({ is }) => is(chunk)), wanted.filter(({ is }) => !is(chunk))];
        wanted = others;
        for (const { settle } of found) settle(at);
      }
    }
  })();
  await Promise.race([ready, reading]);
  return {
    first: (is) => new Promise((settle) => wanted.push({ is, settle })),
    async close() {
      await reader.cancel();
      await reading;
    },
  };
}

/** @param {string} event @returns {Chunk | undefined} undefined for what is no chunk */
function chunkOf(event) {
  if (event.includes('event: ')) return undefined;
  const data = /^data: (.*)$/m.exec(event)?.[1];
  return data === undefined ? undefined : JSON.parse(data);
}
