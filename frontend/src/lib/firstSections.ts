/** Sections of the texts that the shell, the catalogue and parts of every page use. All others are loaded after the first render. */
export const FIRST_SECTIONS: ReadonlySet<string> = new Set(['App', 'Catalog', 'Error', 'Footer', 'Header', 'Input', 'Pager', 'Palette', 'Service', 'Starting', 'State', 'Task', 'Workspace']);
