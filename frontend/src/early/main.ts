import { begin, type Files } from './early';

const written = document.getElementById('files-of-parts')?.textContent;
begin(window.location.pathname, written ? (JSON.parse(written) as Files) : null);
