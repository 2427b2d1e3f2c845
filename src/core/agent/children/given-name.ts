/**
 * The names of companions that were given none by whoever began them: their one form, which nobody else may take.
 *
 * Decides: the form of the names that the framework gives.
 * Keeps CO2.
 */

/** The name by its kind and a number. */
export const givenName = (agentType: string, number: number): string => `${agentType}-${number}`;

/** Whether a name is of the form of that kind. */
export const isGivenName = (agentType: string, name: string): boolean =>
  name.startsWith(`${agentType}-`) && /^[0-9]+$/.test(name.slice(agentType.length + 1));
