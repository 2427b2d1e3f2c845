/** `offshoot/chat`: chats of AI SDK UI, as a door of a Worker. */
export { type ChatOptions, chat } from './doors/chat/door';
