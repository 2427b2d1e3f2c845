/** The text of `--help`. @param agent the one that is asked where none is named @param starts whether it starts servers */
export const helpText = (
  agent: string | undefined,
  starts: boolean,
): string => `Ask a question, watch the agents work, answer their requests, and read the report.

  npm run ask -- "How does an interrupt reach a grandchild?"
  npm run ask -- --file notes.md "What do my notes say about timeouts?"
  npm run ask -- --watch /agents/coordinator/interrupt-grandchild-3f9a21
  npm run ask -- --resume /agents/coordinator/interrupt-grandchild-3f9a21 "What survives a crash?"

Options
  --file PATH       send a file with the question; may be given several times
  --agent TYPE      the agent to ask; default ${agent ?? 'the only one that can be started'}
  --watch ADDRESS   return to a run, even after it has ended
  --resume ADDRESS  resume an interrupted run, or retry a failed one; further words are sent as a
                    message, even to a waiting run
  --approve [ID]    with --watch: approve a pending call, then keep watching; omit the ID if only
                    one is pending
  --deny [ID]       with --watch: deny a pending call; --reason TEXT says why
  --yes             approve every call, and show each
  --json            print only the outcome, as JSON (the status document with the output)
  --url URL         the server; default OFFSHOOT_URL, then the server that runs in this folder,
                    then http://localhost:8787${starts ? ', then a temporary one' : ''}
  --token TOKEN     the server's secret; prefer OFFSHOOT_TOKEN, which process lists do not show;
                    default OFFSHOOT_TOKEN in .dev.vars, for a server on this machine
  --no-color        turn colours off, as NO_COLOR does
  --help            show this help

In a terminal, pending calls appear below the tree, with the keys to answer them. Ctrl-C asks
whether to interrupt the run or detach; a second Ctrl-C exits at once, and the run continues.
Without a terminal, or with --json, the command never prompts: Ctrl-C detaches, and a waiting run
ends the command.

Exit codes
  0  completed
  1  failed, interrupted, refused, or waiting for an answer when the command cannot prompt
  2  wrong arguments, or a file that cannot be read
  3  no server, or an incompatible one
  130  detached
`;
