/** Every error, from the code of the server to what the client throws. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client';
import { problemResponse } from '../../../src/gateway/problem';
import { ERROR_CODES, type ErrorCategory, type ErrorCode, type Failure, failure } from '../../../src/protocol/errors';
import { problemOf } from '../../../src/protocol/problem';
import { serverFrameSchema } from '../../../src/protocol/wire/frames';
import * as shape from '../../../src/protocol/wire/shapes';

interface Facts {
  readonly status: number;
  readonly title: string;
  readonly category: ErrorCategory;
  readonly retryable?: boolean;
}
const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CODES, text);
const CODES = Object.keys(ERROR_CODES).filter(isCode);

/** What the client throws where a server refuses so: a request, or a stream in its midst. */
async function thrownBy(error: Failure, how: 'request' | 'stream'): Promise<unknown> {
  const event = `event: refused\ndata: ${JSON.stringify(problemOf(error, 'r1'))}\n\n`;
  const answer = {
    request: () => problemResponse(error, 'r1'),
    stream: () => new Response(event, { headers: { 'content-type': 'text/event-stream' } }),
  };
  let now = 0;
  const wait = async (ms: number) => {
    now += ms;
  };
  const client = createClient({ baseUrl: '', fetch: async () => answer[how](), clock: { now: () => now, wait } });
  try {
    if (how === 'request') await client.status('/agents/a/b');
    else for await (const _ of client.follow('/agents/a/b', { giveUpMs: 0 }));
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

describe('an error', () => {
  it.each(CODES)('[A107] F161: %s is thrown with its category, and whether it may pass', async (code) => {
    const { status, title, category, retryable = false }: Facts = ERROR_CODES[code];
    const said = { name: 'Refused', code, status, title, category, retryable, requestId: 'r1' };
    expect(await thrownBy(failure(code, 'For a developer.'), 'request')).toMatchObject(said);
    const passes = status === 429 || (status >= 500 && code !== 'auth_not_configured');
    // A stream that may be read later is asked for again, and in this test never comes.
    expect(await thrownBy(failure(code, 'For a developer.'), 'stream')).toMatchObject(
      passes ? { name: 'Unreachable' } : said,
    );
  });

  it('[A107] F161: that may pass here, or not, apart from its code, is told as it is', async () => {
    for (const retryable of [true, false])
      expect(await thrownBy(failure('model_error', 'No.', retryable), 'request')).toMatchObject({ retryable });
  });

  it('[A107] F161: is told by documents and frames whose schemas have every field', () => {
    const document = problemOf(failure('inbox_full', 'Wait.', undefined, { most: 3 }), 'r1');
    expect(shape.problem.strict().parse(document)).toEqual(document);
    const { code, category, retryable, title, detail } = document;
    const frame = { type: 'offshoot.error', code, category, retryable, title, detail };
    expect(serverFrameSchema.parse(frame)).toEqual(frame);
  });

  it('[A107] F161: of a server that says neither has no category, and does not pass', async () => {
    const fetch = async () => new Response('{"code":"gone","title":"Gone."}', { status: 410 });
    const refused = createClient({ baseUrl: '', fetch }).status('/agents/a/b');
    await expect(refused).rejects.toMatchObject({ code: 'gone', category: '', retryable: false });
  });
});
