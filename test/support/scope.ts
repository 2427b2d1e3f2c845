/** The part of a process that its test files share: global variables of Node, and variables of the environment. */

/** Values by name; those of the environment as `process.env.NAME`. */
export type Scope = ReadonlyMap<string, unknown>;

const OF_ENVIRONMENT = 'process.env.';

/** Names that vitest itself sets anew for each file. */
const OF_VITEST = /^(?:__vi|process\.env\.VITEST)/u;

/** The scope as it is now. Reading it loads what Node loads at the first use. */
export function scopeNow(): Scope {
  const values = [
    ...Object.getOwnPropertyNames(globalThis).map((name) => [name, Reflect.get(globalThis, name)] as const),
    ...Object.entries(process.env).map(([name, value]) => [`${OF_ENVIRONMENT}${name}`, value] as const),
  ];
  return new Map(values.filter(([name]) => !OF_VITEST.test(name)));
}

/**
 * Makes the scope what it was, and returns the names that were changed or taken away since. A new global variable stays:
 * modules that several files import set one once (React asks for one).
 */
export function restore(first: Scope): string[] {
  const now = scopeNow();
  const names = [...now.keys()].filter((name) => name.startsWith(OF_ENVIRONMENT));
  const changed = [...new Set([...first.keys(), ...names])].filter(
    (name) => !Object.is(first.get(name), now.get(name)),
  );
  for (const name of changed) {
    const ofEnvironment = name.startsWith(OF_ENVIRONMENT);
    const [target, key] = ofEnvironment ? [process.env, name.slice(OF_ENVIRONMENT.length)] : [globalThis, name];
    if (first.has(name)) Reflect.set(target, key, first.get(name));
    else Reflect.deleteProperty(target, key);
  }
  return changed;
}
