/**
 * Variables: what agents and tools are given by name at run time, outside of every conversation: an address, an account,
 * a key. Who asks for which is told by `child-graph.ts`; where a value comes from, by `src/engine/perform/variable-values.ts`.
 *
 * Decides: how many variables an agent may ask for.
 * Keeps VR1.
 */
import { DATA_LIMITS, VARIABLE_NAME } from '../../protocol/data-limits';
import { checkKinds, invalidDefinition, refuseUnknown } from './invalid';

/** A variable that an agent or a tool needs. */
export interface VariableDefinition {
  /** A letter or `_`, then letters, digits and `_`; at most 128 characters. */
  readonly name: string;
  /** The type. The value of a `secret` is redacted from everything that the code which read it returns or writes. */
  readonly type: 'text' | 'secret';
  /** Whether it must have a value. `false` by default. */
  readonly required?: boolean;
  /** Whether each sub-agent needs its own value, instead of inheriting its parent's. `false` by default. */
  readonly scoped?: boolean;
  /** Its purpose, for the person who sets its value. */
  readonly description?: string;
}

/** The most variables of one definition. */
const MAX_VARIABLES = 100;

const OPTIONS = ['name', 'type', 'required', 'scoped', 'description'];

const isList = (given: unknown): boolean => Array.isArray(given);

/** What is declared of variables, checked. @throws OffshootError `invalid_definition` */
export function checkVariables(
  where: string,
  given: readonly VariableDefinition[] = [],
): readonly VariableDefinition[] {
  if (!isList(given)) invalidDefinition(`${where}: \`variables\` must be a list.`);
  if (given.length > MAX_VARIABLES) invalidDefinition(`${where} has more than ${MAX_VARIABLES} variables.`);
  const seen = new Set<string>();
  for (const variable of given) {
    if (typeof variable !== 'object' || variable === null)
      invalidDefinition(`${where}: each of \`variables\` is an object like { name: 'API_KEY', type: 'secret' }.`);
    checkOne(where, variable);
    if (seen.has(variable.name)) invalidDefinition(`${where} has two variables named "${variable.name}".`);
    seen.add(variable.name);
  }
  return Object.freeze(given.map((variable) => Object.freeze({ ...variable })));
}

function checkOne(where: string, variable: VariableDefinition): void {
  const { name, type } = variable;
  if (typeof name !== 'string' || !VARIABLE_NAME.test(name))
    invalidDefinition(
      `${where}: the variable "${name}" must begin with a letter or "_" and contain letters, digits or "_", at most 128.`,
    );
  refuseUnknown(`${where}: the variable "${name}"`, variable, OPTIONS);
  checkKinds(`${where}: the variable "${name}"`, variable, { required: 'flag', scoped: 'flag', description: 'text' });
  if (type !== 'text' && type !== 'secret')
    invalidDefinition(`${where}: the variable "${name}" needs a \`type\`: 'text' or 'secret'.`);
}

/** Values that a definition has itself, checked. @throws OffshootError `invalid_definition` */
export function checkEnv(
  where: string,
  given: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    invalidDefinition(`${where}: \`env\` must be an object.`);
  for (const [name, value] of Object.entries(given)) {
    if (!VARIABLE_NAME.test(name))
      invalidDefinition(`${where}: \`env\` has the name "${name}", which is not a valid variable name.`);
    if (typeof value !== 'string' || value.length > DATA_LIMITS.maxVariable)
      invalidDefinition(`${where}: \`env.${name}\` must be a string of at most ${DATA_LIMITS.maxVariable} characters.`);
  }
  return Object.freeze({ ...given });
}
