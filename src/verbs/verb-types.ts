/**
 * Input and output of each verb as types, by its name. They are told apart from the table, whose handlers know the engine:
 * callers in other Workers, and tests, are typed by them alone.
 *
 * Keeps A27, Y1.
 */
import type { Acceptances, Bodies, Children, Document, Page, Transcript } from '../protocol/wire/wire-types';

/** Input and output of an operation; `bytes` is the direction of an additional body of bytes. */
interface VerbType<Input, Output, Bytes extends 'in' | 'out' = never> {
  readonly input: Input;
  readonly output: Output;
  readonly bytes: Bytes;
}

/** No input, or no output. */
type Nothing = Record<string, never>;

/** A whole number, also as text in a query. */
type Whole = number | string;

/** A yes or no, also as text in a query. */
type Flag = boolean | '0' | '1' | 'false' | 'true';

interface OnePath {
  readonly path: string;
}

/** Options for a page of a list. */
interface PageInput {
  readonly cursor?: string | undefined;
  readonly limit?: Whole | undefined;
}

type Listed<Item> = VerbType<PageInput, Page<Item>>;

interface ReadInput extends OnePath {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  readonly suffix?: number | undefined;
  readonly ifRange?: string | undefined;
}

interface WriteInput extends OnePath {
  readonly size: number;
  readonly mediaType?: string | undefined;
  readonly ifMatch?: string | null | undefined;
}

/** A file, and which part of it the bytes are. */
type ReadFile = Document<'file'> & {
  readonly offset: number;
  readonly length: number;
  readonly part: 'whole' | 'some' | 'none';
};

interface ChunksInput {
  readonly from?: Whole | undefined;
  readonly before?: Whole | undefined;
  readonly limit?: Whole | undefined;
  readonly types?: string | undefined;
}

interface StreamInput {
  readonly from?: Whole | undefined;
  readonly follow?: Flag | 'run' | undefined;
  readonly rested?: Flag | undefined;
  readonly deltas?: Flag | undefined;
}

type Stop = VerbType<Bodies['stop'], Acceptances['stop']>;
type Resume = VerbType<Bodies['resume'], Acceptances['resume']>;

/** Every verb, by its name. */
export interface VerbTypes {
  readonly start: VerbType<Bodies['start'], Acceptances['start'] | Document<'status'>>;
  readonly send: VerbType<Bodies['send'], Acceptances['send']>;
  readonly interrupt: Stop;
  readonly abort: Stop;
  readonly terminate: Stop;
  readonly resume: Resume;
  readonly retry: Resume;
  readonly fork: VerbType<Bodies['fork'], Acceptances['fork']>;
  readonly pending: Listed<Document<'pendingItem'>>;
  readonly submit: VerbType<Bodies['answer'], Acceptances['answer']>;
  readonly status: VerbType<Nothing, Document<'status'>>;
  readonly tree: VerbType<{ readonly depth?: Whole | undefined }, Document<'tree'>>;
  readonly runs: Listed<Document<'run'>>;
  readonly calls: Listed<Document<'call'>>;
  readonly logs: Listed<Document<'log'>>;
  readonly state: VerbType<Nothing, Document<'state'>>;
  readonly limits: VerbType<Nothing, Document<'limits'>>;
  readonly audit: Listed<Document<'audit'>>;
  readonly checkpoints: Listed<Document<'checkpoint'>>;
  readonly messages: VerbType<PageInput & { readonly last?: Whole | undefined }, Transcript>;
  readonly cancelMessage: VerbType<OnePath, Nothing>;
  readonly chunks: VerbType<ChunksInput, Document<'chunks'>>;
  readonly stream: VerbType<StreamInput, Nothing, 'out'>;
  readonly variables: VerbType<OnePath, Acceptances['variables']>;
  readonly giveVariables: VerbType<OnePath & Bodies['giveVariables'], Acceptances['giveVariables']>;
  readonly children: VerbType<PageInput, Children>;
  readonly usage: VerbType<{ readonly includeSubAgents?: Flag | undefined }, Document<'usage'>>;
  readonly schedules: Listed<Document<'due'>>;
  readonly files: VerbType<PageInput & { readonly prefix?: string | undefined }, Page<Document<'file'>>>;
  readonly readFile: VerbType<ReadInput, ReadFile, 'out'>;
  readonly writeFile: VerbType<WriteInput, Document<'file'>, 'in'>;
  readonly removeFile: VerbType<OnePath, Nothing>;
  readonly documents: VerbType<Nothing, { readonly items: readonly Document<'document'>[] }>;
  readonly removeDocument: VerbType<OnePath, Nothing>;
  readonly shareDocument: VerbType<{ readonly document: string }, Document<'document'>>;
  readonly unshareDocument: VerbType<OnePath, Nothing>;
  readonly createToken: VerbType<Bodies['createToken'], Acceptances['createToken']>;
  readonly tokens: Listed<Document<'token'>>;
  readonly revokeToken: VerbType<OnePath, Nothing>;
  readonly createTicket: VerbType<Bodies['createTicket'], Acceptances['createToken']>;
  readonly remove: VerbType<Nothing, Nothing>;
}

/** The name of a verb. */
export type VerbName = keyof VerbTypes;

/** Input of the verb of that name. */
export type InputOf<Name extends VerbName> = VerbTypes[Name]['input'];

/** Output of the verb of that name. */
export type OutputOf<Name extends VerbName> = VerbTypes[Name]['output'];
