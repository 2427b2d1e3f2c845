/** What `--help` prints. */
export const HELP = `Ask a question, watch the agents work on it, read their report.

  npm run ask -- "How does an interrupt reach a grandchild?"
  npm run ask -- --file notes.md "What do my notes say about timeouts?"
  npm run ask -- --watch /agents/coordinator/interrupt-grandchild-3f9a21

Options
  --file PATH      send a file with the question; may be given several times
  --agent TYPE     whom to ask; default coordinator
  --watch ADDRESS  return to a run, also to one that has ended
  --json           print the outcome alone, as JSON (the status document with the output)
  --url URL        the server; default OFFSHOOT_URL, else http://localhost:8787, else one that runs
                   here on another port, else one that is started and ended with this command
  --token TOKEN    the server's secret; better in OFFSHOOT_TOKEN, where no list of processes shows it
  --no-color       no colours; so does NO_COLOR
  --help           this

Ctrl-C looks away: the run goes on, and you are told how to return. Ctrl-C again exits at once.

Exit codes
  0  completed
  1  failed, stopped, refused, or waiting for an answer
  2  wrong arguments, or a file that cannot be read
  3  no server, or one that does not keep to the protocol
  130  looked away with Ctrl-C
`;
