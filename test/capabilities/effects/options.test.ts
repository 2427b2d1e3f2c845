/** Options of an effect that cannot work: each is refused when it is defined, by name. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod/v3';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import { OffshootError } from '../../../src/protocol/errors';

/** What an author without types may call; the words of the refusal. */
function refused(given: unknown): string {
  try {
    Reflect.apply(defineEffect, undefined, [given]);
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'invalid_definition') return error.message;
    throw error;
  }
  throw new Error('It was taken.');
}

const effect = { name: 'later', description: 'Works.', execute: () => null };

describe('an effect', () => {
  it('[DF30] is refused with a name that no option has', () => {
    expect(refused({ ...effect, notAnOption: 1 })).toMatch(/unknown options: notAnOption\. Available options: /);
  });

  it.each([null, 'x', [], 7])('[DF29] is refused with options that are no object: %j', (given) => {
    expect(refused(given)).toMatch(/must be|needs|first/);
  });

  it.each(['', ' \n', undefined, 7])('[DF33] needs a description: %j', (description) => {
    expect(refused({ ...effect, description })).toMatch(/^Effect "later": `description` .* Write what/);
  });

  it('[DF18] is refused with a schema of zod 3', () => {
    const schema = z.object({ a: z.string() });
    expect(refused({ ...effect, schema })).toMatch(/`schema`.* is a schema of zod 3\. Make it with zod 4/);
  });
});
