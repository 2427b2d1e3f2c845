import { describe, expect, it } from 'vitest';
import { address, get, post, readAll } from '../../support/api';
import { told } from '../../support/puppet';

describe('start', () => {
  it('[A1] starts a run', async () => {
    const at = address();
    const started = await post(`${at}/start`, { message: told({ text: 'hello' }), wait: true });
    expect(started.body).toMatchObject({ status: 'completed', run: { output: 'hello' } });
    expect(started.status).toBe(200);
    const status = await get(`${at}/status`);
    expect(status.status).toBe(200);
    expect(status.body).toEqual(started.body);
    const stream = await readAll(`${at}/stream`);
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
  });
});
