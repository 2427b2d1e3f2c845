/** Frames of a socket as a client has read them: those of the protocol by their types, others as any object. */

import type { JsonObject } from '../../src/protocol/json';
import type { ServerFrame } from '../../src/protocol/wire/frames';

/** A frame of which only the type is known. */
export interface Frame {
  readonly type: string;
}

/** The frames of a type. */
export type FrameOf<Type extends string> = Frame &
  ([Extract<ServerFrame, { type: Type }>] extends [never] ? JsonObject : Extract<ServerFrame, { type: Type }>);

/** The frames of a type among others. */
export function framesOf<const Type extends string>(frames: readonly Frame[], type: Type): FrameOf<Type>[] {
  return frames.filter((frame): frame is FrameOf<Type> => frame.type === type);
}
