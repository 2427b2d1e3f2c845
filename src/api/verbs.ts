/** The table of verbs. Routes, socket calls and `/openapi.json` are made from it. */

import type { ObjectRuntime } from '../engine/object';
import type { VerbAnswer, VerbCall } from '../engine/object-calls';
import { failure } from '../protocol/errors';
import type { Verb } from './verb';
import { documents, removeDocument, shareDocument, unshareDocument } from './verbs/documents';
import { files, readFile, removeFile, writeFile } from './verbs/files';
import { audit, checkpoints } from './verbs/history';
import { calls, logs } from './verbs/ledger';
import { messages } from './verbs/messages';
import { limits, runs, state, status, usage } from './verbs/overview';
import { pending } from './verbs/pending';
import { remove } from './verbs/remove';
import { resume, retry } from './verbs/resume';
import { send } from './verbs/send';
import { start } from './verbs/start';
import { abort, interrupt, terminate } from './verbs/stop';
import { submit } from './verbs/submit';
import { children, schedules, stream, tree } from './verbs/tree';

/** Every verb. */
export const VERBS = [
  start,
  send,
  interrupt,
  abort,
  terminate,
  resume,
  retry,
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
  stream,
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
  remove,
] as const satisfies readonly Verb[];

const BY_NAME: ReadonlyMap<string, Verb> = new Map<string, Verb>(VERBS.map((verb) => [verb.name, verb]));

/** The verb of that name. */
export function verbNamed(name: string): Verb | undefined {
  return BY_NAME.get(name);
}

/** Answers a call at an object: there, or further down. */
export async function answerVerb(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer> {
  const verb = verbNamed(call.verb);
  return verb
    ? verb.answer(object, call)
    : { ok: false, error: failure('not_found', `There is no verb "${call.verb}".`) };
}
