/**
 * The object of the parent of a remote child, as far as its runner knows it.
 *
 * Keeps RM1.
 */
import type { RemoteAgentTransport } from '../../../core/definition/remote-transport';
import type { Environment } from '../../../engine/environment';
import type { RootAnswer, RootRequest } from '../../../engine/tree-messages';
import type { Json } from '../../../protocol/json';
import type { Usage } from '../../../protocol/usage';
import type { RemoteRun, RemovedRun } from '../machine/state';

/** The parent's object. */
export interface RunnerHost {
  readonly environment: Environment;
  /** Writes the child's record, with the arguments of its task where they are given, or forgets it, in one transaction. */
  write(run: RemoteRun | undefined, input?: Json): void;
  /** Writes the record of a child that was removed, and in the same transaction its pending cleanup for the root. */
  writeRemaining(run: RemovedRun): void;
  /** The arguments of its task. */
  input(): Json;
  /** Its transport; undefined where that was removed from the definition. @throws errors of an author's function */
  transport(): RemoteAgentTransport | undefined;
  /** The output as the schema that is known here has it, or why it does not fit. */
  fit(
    output: Json,
  ): Promise<{ readonly ok: true; readonly json: Json } | { readonly ok: false; readonly problem: string }>;
  /** Its task has ended, with that usage; of one that failed or was stopped, the usage may be unknown. */
  spent(usage: Usage, isWhole: boolean): void;
  /** @throws where the root was not reached, or its answer was lost */
  askRoot(request: RootRequest): Promise<RootAnswer>;
}
