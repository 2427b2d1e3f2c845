/**
 * Who asks, and what they may do at an address.
 *
 * Keeps TK9.
 */
import * as z from 'zod';
import { type AccessOptions, access } from '../access/auth';
import { parseAddress } from '../protocol/address';
import { failure, refuse, refuseWith } from '../protocol/errors';
import { ACTIONS } from '../protocol/shown/actions';
import type { me } from '../protocol/wire/readings';

/** Where a list of all agents lies, as the access check is asked for it. */
const DIRECTORY = '/directory';

/** About which address. */
export const meInput = z.strictObject({
  address: z
    .string()
    .max(2_048)
    .optional()
    .describe('The address of an agent; /directory, or that of the token, by default.'),
});

/** TK9. What each action at the address is answered with now. @throws OffshootError the refusal, where none is allowed */
export async function whoAsks(
  request: Request,
  options: AccessOptions,
  { address: given }: z.output<typeof meInput>,
): Promise<z.output<typeof me>> {
  if (given !== undefined && given !== DIRECTORY && parseAddress(given).rest.length > 0)
    refuse('invalid_address', `"${given}" is not the address of an agent.`);
  const first = await access(request, { address: given ?? DIRECTORY, action: 'read' }, options);
  const address = given ?? (first.ok ? DIRECTORY : (first.at ?? DIRECTORY));
  const answers = await Promise.all(
    ACTIONS.map(async (action) => ({ action, answer: await access(request, { address, action }, options) })),
  );
  const granted = answers.flatMap(({ action, answer }) => (answer.ok ? [{ action, answer }] : []));
  const [any] = granted;
  if (any === undefined) return refuseWith(first.ok ? failure('forbidden') : first.error);
  const { grant, token } = any.answer;
  return {
    subject: grant.subject,
    address,
    actions: granted.map(({ action }) => action),
    ...(token ? { expiresAt: token.endsAt, ...(token.call === undefined ? {} : { toolCallId: token.call }) } : {}),
  };
}
