/** The same Worker without one of its classes. Its variable `LACKS` takes the agent out of the list. */
export { Apart, default, Helper, Leaf, OffshootDirectory, Scout, Top } from './worker';
