/** Bodies at the doors. */

/** A body has at most so many bytes: clients of these protocols send all messages with each request. */
export const MAX_DOOR_BYTES = 8_388_608;
