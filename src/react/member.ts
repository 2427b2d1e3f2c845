/** A member of a value of unknown kind: pages may have no types of the DOM. Undefined where there is none. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
