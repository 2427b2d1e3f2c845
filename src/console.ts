/** `offshoot/console`: the pages for people, as a door of a Worker. */
export { type ConsoleOptions, webConsole } from './gateway/doors/console';
