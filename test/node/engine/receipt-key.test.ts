import { expect, it } from 'vitest';
import { receiptKey } from '../../../src/engine/receipt-key';

/** Texts that run into their neighbours where keys are joined by a sign, or put between quotes. */
const TEXTS = ['', 'a', ',', 'a,', ',a', ' ', '/', '"', '","', '\\', '\u0000', ':'];

it('[A18] keys of other callers, addresses or verbs are others, whatever signs are in them', () => {
  const keys = TEXTS.flatMap((caller) =>
    TEXTS.flatMap((below) =>
      TEXTS.flatMap((verb) => TEXTS.map((idempotencyKey) => receiptKey({ caller, below, verb, idempotencyKey }))),
    ),
  );
  expect(new Set(keys).size).toBe(TEXTS.length ** 4);
});
