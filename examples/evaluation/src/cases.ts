/** Messages with the answers that a person gave. */
export const CASES = [
  { message: 'I was charged twice, please refund one.', team: 'billing', urgent: false },
  { message: 'The invoice has the wrong address.', team: 'billing', urgent: false },
  { message: 'I paid, and my account is still closed. I need it today!', team: 'billing', urgent: true },
  { message: 'The app crashes when I open it.', team: 'technical', urgent: false },
  { message: 'Error 500 on every page, our shop is down!', team: 'technical', urgent: true },
  { message: 'The search finds nothing any more.', team: 'technical', urgent: false },
  { message: 'Do you have an offer for schools?', team: 'sales', urgent: false },
  { message: 'We want to buy 50 seats today.', team: 'sales', urgent: true },
] as const;
