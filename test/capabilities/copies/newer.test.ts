/** Calls and messages of copies that a newer version of the Worker sends. */
import { describe, expect, it } from 'vitest';
import { unknownIn } from '../../../src/capabilities/copies/messages';
import type { Capability } from '../../../src/engine/capability';
import { ObjectParts } from '../../../src/engine/object/capability-object';
import type { CapabilityCall } from '../../../src/engine/object/object-calls';
import type { CapabilityMessage } from '../../../src/engine/tree-messages';

const call = (op: string) => ({ kind: 'capability', capability: 'copies', ask: { op } }) as unknown as CapabilityCall;
const message = (type: string): CapabilityMessage => ({ type: 'capability', capability: 'copies', message: { type } });

/** An object whose part of copies answers all that reaches it. */
function objectOf() {
  const part = {
    unknownIn,
    take: async () => ({ ok: true }),
    receive: () => ({ answer: 'done' }),
  };
  return new ObjectParts([{ name: 'copies', atObject: () => part } as unknown as Capability], {});
}

describe('copies between two versions of the Worker', () => {
  it('[SO11] refuse the part of a copy and the message that are new, as retryable', async () => {
    const object = objectOf();
    expect(await object.take(call('index'))).toMatchObject({ ok: false, error: { retryable: true } });
    expect(unknownIn(call('index'))).toBe('the part of a copy "index"');
    expect(() => object.receive(message('merge'))).toThrow('the message of copies "merge"');
  });

  it('[SO11] answer what they know', async () => {
    const object = objectOf();
    expect(await object.take(call('heard'))).toEqual({ ok: true });
    expect(object.receive(message('fork'))).toEqual({ answer: 'done' });
  });
});
