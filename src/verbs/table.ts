/**
 * The table of verbs. Routes, socket calls and `/openapi.json` are made from it.
 *
 * Keeps A27.
 */

import type { ObjectRuntime } from '../engine/object';
import type { VerbAnswer, VerbCall } from '../engine/object-calls';
import { newerCall } from '../protocol/errors';
import { audit, checkpoints } from './audit-and-steps';
import { cancelMessage } from './cancel-message';
import { children } from './children';
import { chunks } from './chunks';
import { documents, removeDocument, shareDocument, unshareDocument } from './documents';
import { files, readFile, removeFile, writeFile } from './files';
import { fork } from './fork';
import { calls, logs } from './ledger';
import { messages } from './messages';
import { limits, runs, state, status, usage } from './overview';
import { pending } from './pending';
import { remove } from './remove';
import { resume, retry } from './resume';
import { send } from './send';
import { start } from './start';
import { abort, interrupt, terminate } from './stop';
import { submit } from './submit';
import { refusedByToken } from './token-use';
import { createTicket, createToken, revokeToken, tokens } from './tokens';
import { schedules, stream, tree } from './tree';
import { giveVariables, variables } from './variables';
import type { Verb } from './verb';
import type { VerbName } from './verb-types';

/** Every verb, by its name. */
export const VERB = {
  start,
  send,
  interrupt,
  abort,
  terminate,
  resume,
  retry,
  fork,
  pending,
  submit,
  status,
  tree,
  runs,
  calls,
  logs,
  state,
  limits,
  audit,
  checkpoints,
  messages,
  cancelMessage,
  chunks,
  stream,
  variables,
  giveVariables,
  children,
  usage,
  schedules,
  files,
  readFile,
  writeFile,
  removeFile,
  documents,
  removeDocument,
  shareDocument,
  unshareDocument,
  createToken,
  tokens,
  revokeToken,
  createTicket,
  remove,
} as const satisfies { readonly [Name in VerbName]: Verb<Name> };

/** All of them, in that order. */
export const VERBS: readonly Verb<VerbName>[] = Object.values(VERB);

const BY_NAME: ReadonlyMap<string, Verb> = new Map<string, Verb>(Object.entries(VERB));

/** The verb of that name. */
export function verbNamed(name: string): Verb | undefined {
  return BY_NAME.get(name);
}

/** Answers a call at an object: there, or further down. */
export async function answerVerb(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer> {
  const verb = verbNamed(call.verb);
  if (verb === undefined) return { ok: false, error: newerCall(`the verb "${call.verb}"`).failure };
  const refused = refusedByToken(object, call);
  return refused ? { ok: false, error: refused } : verb.answer(object, call);
}
