/** `offshoot/agui`: AG-UI, as a door of a Worker. */
export { type AguiOptions, agui } from './doors/agui/door';
