/**
 * The documents, requests and acceptances of the API as types, by name: what callers are typed by, whichever way they ask.
 *
 * Keeps A27.
 */
import type * as z from 'zod';
import type { listedAgent, listedCall, listedCause, listedChild, listedFailure, listedRoot } from './listings';
import type {
  auditEntry,
  checkpoint,
  chunksPage,
  document,
  due,
  ledgerEntry,
  limitsDocument,
  listedToken,
  logEntry,
  me,
  stateDocument,
  transcriptEntry,
} from './readings';
import type {
  forkAccepted,
  forkInput,
  resumeAccepted,
  resumeInput,
  sendAccepted,
  sendInput,
  startAccepted,
  startInput,
  stopAccepted,
  stopInput,
  submitAccepted,
  submitInput,
  ticketInput,
  tokenGiven,
  tokenInput,
  variablesAsked,
  variablesInput,
  variablesTaken,
} from './requests';
import type { child, fileInfo, listedRun, pendingItem, statusDocument, TreeShown, usageDocument } from './shapes';

/** A document of the API: status, tree, run and the others, as `/openapi.json` describes them. */
export type Document<Name extends keyof Documents> = Documents[Name];

interface Documents {
  readonly status: z.output<typeof statusDocument>;
  readonly tree: TreeShown;
  readonly run: z.output<typeof listedRun>;
  readonly pendingItem: z.output<typeof pendingItem>;
  readonly usage: z.output<typeof usageDocument>;
  readonly child: z.output<typeof child>;
  readonly call: z.output<typeof ledgerEntry>;
  readonly log: z.output<typeof logEntry>;
  readonly chunks: z.output<typeof chunksPage>;
  readonly message: z.output<typeof transcriptEntry>;
  readonly checkpoint: z.output<typeof checkpoint>;
  readonly audit: z.output<typeof auditEntry>;
  readonly state: z.output<typeof stateDocument>;
  readonly limits: z.output<typeof limitsDocument>;
  readonly due: z.output<typeof due>;
  readonly document: z.output<typeof document>;
  readonly file: z.output<typeof fileInfo>;
  readonly root: z.output<typeof listedRoot>;
  readonly agent: z.output<typeof listedAgent>;
  readonly listedCall: z.output<typeof listedCall>;
  readonly listedFailure: z.output<typeof listedFailure>;
  readonly listedCause: z.output<typeof listedCause>;
  readonly listedChild: z.output<typeof listedChild>;
  readonly token: z.output<typeof listedToken>;
  readonly me: z.output<typeof me>;
}

/** A page of a list; `cursor` asks for the next one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string | undefined;
}

/** A page of sub-agents. */
export interface Children extends Page<Document<'child'>> {
  /** Items on all pages. */
  readonly total: number;
  /** Facets that the agent's own code created with `subAgent`: on the first page, at most 500. */
  readonly facets?:
    | readonly { readonly className: string; readonly name: string; readonly createdAt: number }[]
    | undefined;
}

/** A page of failed runs. */
export interface Failures extends Page<Document<'listedFailure'>> {
  /** The causes of failures on all pages, the most frequent first. */
  readonly causes: readonly Document<'listedCause'>[];
}

/** A page of the transcript. */
export interface Transcript extends Page<Document<'message'>> {
  readonly asOfSequence: number;
}

/** The bodies of requests that change something. */
export interface Bodies {
  readonly start: z.input<typeof startInput>;
  readonly send: z.input<typeof sendInput>;
  readonly stop: z.input<typeof stopInput>;
  readonly resume: z.input<typeof resumeInput>;
  readonly fork: z.input<typeof forkInput>;
  readonly giveVariables: Omit<z.input<typeof variablesInput>, 'path'>;
  readonly answer: z.input<typeof submitInput>;
  readonly createToken: z.input<typeof tokenInput>;
  readonly createTicket: z.input<typeof ticketInput>;
}

/** The response bodies of such requests. */
export interface Acceptances {
  readonly start: z.output<typeof startAccepted>;
  readonly send: z.output<typeof sendAccepted>;
  readonly stop: z.output<typeof stopAccepted>;
  readonly resume: z.output<typeof resumeAccepted>;
  readonly fork: z.output<typeof forkAccepted>;
  readonly variables: z.output<typeof variablesAsked>;
  readonly giveVariables: z.output<typeof variablesTaken>;
  readonly answer: z.output<typeof submitAccepted>;
  readonly createToken: z.output<typeof tokenGiven>;
}
