// The rooms of src and what each may stand on. A type counts like a value: who imports one has to know the other.

/**
 * A room is a folder, or a file by its path; the longest that fits is the room of a file. `on` lists the rooms that its
 * files may import beside their own, `why` says what that keeps.
 * @type {readonly { readonly room: string, readonly on: readonly string[], readonly why: string }[]}
 */
const ROOMS = [
  { room: 'src/protocol', on: [], why: 'a reader of the wire shares it, in a browser too' },
  { room: 'src/core/definition', on: ['src/protocol'], why: 'authors write it, and no machine is in their way' },
  {
    room: 'src/core/agent',
    on: ['src/core/definition', 'src/protocol'],
    why: 'one session decides by its own state, whatever tree it is in',
  },
  {
    room: 'src/core/tree',
    on: ['src/core/agent', 'src/core/definition', 'src/protocol'],
    why: 'a root decides over what its agents tell of themselves',
  },
  {
    room: 'src/core/ports',
    on: ['src/core/tree', 'src/core/agent', 'src/core/definition', 'src/protocol'],
    why: 'contracts speak of what the machines make; no machine knows who keeps or carries it',
  },
  {
    room: 'src/store',
    on: ['src/protocol', 'src/core'],
    why: 'adapters of the ports: they keep what they are given, and decide nothing',
  },
  {
    room: 'src/engine',
    on: ['src/protocol', 'src/core'],
    why: 'performs what the core decides, wherever it runs and whatever keeps it: it knows the ports alone',
  },
  {
    room: 'src/capabilities',
    on: ['src/protocol', 'src/core', 'src/engine', 'src/access', 'src/verbs'],
    why: 'each adds to an agent by the seams of core, engine and verbs, which know none of them',
  },
  {
    room: 'src/access',
    on: ['src/protocol', 'src/engine'],
    why: 'who may do what, by the request alone: the Worker asks it, and so do sockets that are open',
  },
  {
    room: 'src/verbs',
    on: ['src/protocol', 'src/core', 'src/engine', 'src/access'],
    why: 'what an object is asked: it knows neither who carried the question nor the platform',
  },
  {
    room: 'src/sockets',
    on: ['src/protocol', 'src/core', 'src/engine', 'src/access', 'src/verbs'],
    why: 'the protocol of sockets, from the upgrade to the frames: the verbs and the log, carried otherwise',
  },
  {
    room: 'src/gateway',
    on: ['src/protocol', 'src/core', 'src/capabilities', 'src/engine', 'src/access', 'src/verbs', 'src/sockets'],
    why: "the Worker's side: HTTP and RPC from the table of verbs, in front of the objects",
  },
  {
    room: 'src/host',
    on: ['src/protocol', 'src/core', 'src/store', 'src/engine'],
    why: 'Durable Objects, which alone know the `agents` package: what is asked of them is put in by the entry',
  },
  {
    room: 'src/model',
    on: ['src/core/definition', 'src/protocol'],
    why: 'an adapter of the model port, for whoever asks it',
  },
  {
    room: 'src/capabilities/remote/machine',
    on: ['src/protocol', 'src/core'],
    why: 'decides for a remote child, as pure as the core',
  },
  {
    room: 'src/capabilities/remote/perform',
    on: ['src/protocol', 'src/core', 'src/engine', 'src/capabilities/remote/machine'],
    why: 'performs what is decided for a remote child, by the port of its transport alone',
  },
  {
    room: 'src/capabilities/remote/define.ts',
    on: ['src/protocol', 'src/core/definition', 'src/engine', 'src/capabilities/remote/perform'],
    why: 'puts together what defines remote agents, and what runs them: it loads in plain Node',
  },
  {
    room: 'src/capabilities/remote/transports',
    on: ['src/core/definition', 'src/protocol'],
    why: 'transports know the wire and the port, and load in the same places as definitions',
  },
  {
    room: 'src/capabilities/remote/transports/object.ts',
    on: ['src/capabilities/remote/transports', 'src/core/definition', 'src/protocol', 'src/verbs', 'src/gateway'],
    why: 'the transport to objects of this Worker, called in the same way as the gateway calls them',
  },
  {
    room: 'src/capabilities/remote/host',
    on: ['src/protocol', 'src/core', 'src/capabilities/remote/machine'],
    why: 'a Durable Object of the `agents` package, which knows of a remote agent its transport alone',
  },
  {
    room: 'src/remote.ts',
    on: ['src/capabilities/remote/transports', 'src/core/definition'],
    why: 'puts together the transports to remote agents',
  },
  {
    room: 'src/desk',
    on: ['src/core/definition', 'src/protocol', 'src/index.ts'],
    why: 'an application: it has what other applications have',
  },
  { room: 'src/client', on: ['src/protocol'], why: 'it knows the wire alone, and runs wherever there is fetch' },
  {
    room: 'src/react',
    on: ['src/client', 'src/protocol', 'src/core/definition'],
    why: 'the client for React: of definitions it knows their types alone',
  },
  { room: 'src/react.ts', on: ['src/react'], why: 'puts together what a page in React imports' },
  {
    room: 'src/console',
    on: ['src/react', 'src/client', 'src/client.ts', 'src/protocol'],
    why: 'pages for people in a browser: what they do, any client could do',
  },
  { room: 'src/check', on: [], why: 'looks at the folder of an app, with the tools that the app has installed' },
  { room: 'src/bin.ts', on: ['src/check', 'src/cli'], why: 'puts together the command of an app' },
  {
    room: 'src/doors',
    on: ['src/protocol', 'src/core/definition', 'src/gateway/doors', 'src/verbs/verb-types.ts'],
    why: 'other protocols over the same verbs and the same log: they translate, and decide nothing',
  },
  { room: 'src/console.ts', on: ['src/gateway'], why: 'puts together the door of the console' },
  { room: 'src/chat.ts', on: ['src/doors'], why: 'puts together the door of chats' },
  { room: 'src/agui.ts', on: ['src/doors'], why: 'puts together the door of AG-UI' },
  {
    room: 'src/cli',
    on: ['src/client', 'src/protocol'],
    why: 'a terminal for people: what it does, any client could do',
  },
  {
    room: 'src/testing',
    on: ['src/protocol', 'src/core', 'src/store', 'src/engine', 'src/verbs', 'src/capabilities'],
    why: 'the other host: a process of a test, whose people do what people do over HTTP',
  },
  {
    room: 'src/index.ts',
    on: [
      'src/protocol',
      'src/core/definition',
      'src/model',
      'src/capabilities/effects/define-effect.ts',
      'src/capabilities/remote/define.ts',
    ],
    why: 'puts together what defines agents: it loads in plain Node',
  },
  { room: 'src/protocol.ts', on: ['src/protocol'], why: 'puts together what a reader of the wire imports' },
  { room: 'src/without', on: ['src/protocol'], why: 'stands for packages that a bundle leaves out' },
  {
    room: 'src/models.ts',
    on: ['src/model'],
    why: 'every provider at once, for whoever wants to choose by a setting alone',
  },
  {
    room: 'src/access.ts',
    on: ['src/access', 'src/protocol'],
    why: 'puts together what a Worker behind an identity provider imports',
  },
  { room: 'src/client.ts', on: ['src/client', 'src/protocol'], why: 'puts together what a page or a program imports' },
  {
    room: 'src/testing.ts',
    on: ['src/protocol', 'src/core', 'src/engine', 'src/verbs', 'src/model', 'src/testing'],
    why: 'puts together what a test of an application imports',
  },
  {
    room: 'src/worker.ts',
    on: [
      'src/protocol',
      'src/core',
      'src/capabilities',
      'src/access',
      'src/verbs',
      'src/sockets',
      'src/gateway',
      'src/host',
      'src/model',
    ],
    why: 'puts together what serves agents: it loads in a Worker',
  },
  {
    room: 'src/desk/worker.ts',
    on: ['src/desk', 'src/index.ts', 'src/models.ts', 'src/worker.ts', 'src/console.ts', 'src/chat.ts', 'src/agui.ts'],
    why: 'the Worker that is shipped is an application',
  },
];

/** @param {string} path @param {string} room */
const isIn = (path, room) => path === room || path.startsWith(`${room}/`);

/** @param {string} path */
const roomOf = (path) =>
  ROOMS.filter(({ room }) => isIn(path, room)).sort((one, other) => other.room.length - one.room.length)[0];

/** @param {string} path @returns {string | undefined} the capability that a file is of */
const capabilityOf = (path) => /^src\/capabilities\/([^/]+)\//.exec(path)?.[1];

/**
 * What is wrong with an import of one file in src by another.
 * @param {string} path
 * @param {string} target
 * @returns {string | undefined}
 */
export function floorProblem(path, target) {
  const [from, to] = [capabilityOf(path), capabilityOf(target)];
  if (from !== undefined && to !== undefined && from !== to)
    return `the capability "${from}" does not stand on "${to}": each can be deleted by itself`;
  const own = roomOf(path);
  if (own === undefined) return 'the file is in no room: name its folder in scripts/lib/floors.mjs';
  if ([own.room, ...own.on].some((room) => isIn(target, room))) return undefined;
  return `${own.room} does not stand on ${roomOf(target)?.room ?? target} (${own.why})`;
}
