/**
 * The object of the parent of a child elsewhere, as far as its runner knows it.
 *
 * Keeps RM1.
 */
import type { RemoteAgentTransport } from '../../core/definition/remote-transport';
import type { RemoteRun } from '../../core/tree/remote-run';
import type { Json } from '../../protocol/json';
import type { Environment } from '../environment';
import type { RootAnswer, RootRequest } from '../tree-messages';

/** The parent's object. */
export interface RunnerHost {
  readonly environment: Environment;
  /** Writes the child's record, with the arguments of its task where they are given, or forgets it, in one transaction. */
  write(run: RemoteRun | undefined, input?: Json): void;
  /** Writes it as one that has left, and in the same transaction that the root is to know what it owes. */
  writeLeft(run: RemoteRun): void;
  /** The arguments of its task. */
  input(): Json;
  /** How it is reached; undefined where what led there is gone. @throws what an author's function throws */
  transport(): RemoteAgentTransport | undefined;
  /** The output as the schema that is known here has it, or why it does not fit. */
  fit(
    output: Json,
  ): Promise<{ readonly ok: true; readonly json: Json } | { readonly ok: false; readonly problem: string }>;
  /** @throws where the root was not reached, or its answer was lost */
  askRoot(request: RootRequest): Promise<RootAnswer>;
}
