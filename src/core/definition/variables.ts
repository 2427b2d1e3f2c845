/** Variables that agents, prompts and tools declare, and the values that definitions give them. */
import { invalidDefinition, refuseUnknown } from './invalid';

/** A variable that something declares. */
export interface VariableDefinition {
  /** Capital letters, digits and `_`, a letter first; at most 64 characters. */
  readonly name: string;
  /** A `secret` is never shown. */
  readonly type: 'text' | 'secret';
  /** Nothing that needs it begins without it. `false` by default. */
  readonly required?: boolean;
  /** Each session has its own value: that of its parent is not taken. `false` by default. */
  readonly scoped?: boolean;
  /** For whoever gives the value. Empty by default. */
  readonly description?: string;
}

const OPTIONS = ['name', 'type', 'required', 'scoped', 'description'];

/** The most variables of one definition. */
const MAX_VARIABLES = 100;

/** The name of a variable. */
const VARIABLE_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** @throws OffshootError `invalid_definition` */
export function checkVariables(where: string, given: readonly VariableDefinition[]): readonly VariableDefinition[] {
  if (given.length > MAX_VARIABLES) invalidDefinition(`${where} has more than ${MAX_VARIABLES} variables.`);
  const seen = new Set<string>();
  for (const variable of given) {
    const { name, type } = variable;
    refuseUnknown(`${where}: the variable "${name}"`, variable, OPTIONS);
    checkVariableName(where, name);
    if (type !== 'text' && type !== 'secret')
      invalidDefinition(`${where}: the variable "${name}" needs a \`type\`: 'text' or 'secret'.`);
    if (seen.has(name)) invalidDefinition(`${where} has two variables named "${name}"; leave out one.`);
    seen.add(name);
  }
  return Object.freeze(given.map((variable) => Object.freeze({ ...variable })));
}

/** @throws OffshootError `invalid_definition` for a name that is none, or a value that is no text */
export function checkEnv(where: string, given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(given)) {
    checkVariableName(where, name);
    if (typeof value !== 'string') invalidDefinition(`${where}: \`env.${name}\` must be a text.`);
  }
  return Object.freeze({ ...given });
}

function checkVariableName(where: string, name: string): void {
  if (!VARIABLE_NAME.test(name))
    invalidDefinition(
      `${where}: the variable "${name}" must be named with capital letters, digits and "_", a letter first, at most 64.`,
    );
}
