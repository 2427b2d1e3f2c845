import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import './app/theme.css';
import './app/frame.css';
import './app/lists.css';
import './files/files.css';
import './inbox/inbox.css';
import './run/run.css';
import './app/widths.css';

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
