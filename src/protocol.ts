/**
 * `offshoot/protocol`: what every reader of the wire shares, in a browser too: chunks with their schema, errors,
 * addresses, statuses, frames, the reducer and the view. Schemas need `zod`.
 */
export * from './protocol/actions';
export * from './protocol/address';
export * from './protocol/chunks';
export * from './protocol/closes';
export * from './protocol/documents';
export * from './protocol/errors';
export * from './protocol/frames';
export * from './protocol/json';
export * from './protocol/messages';
export * from './protocol/problem';
export * from './protocol/reduce';
export * from './protocol/requests';
export * from './protocol/status';
export * from './protocol/trace';
export * from './protocol/usage';
export * from './protocol/view';
export * from './protocol/waiting';
export * from './protocol/wire-limits';
