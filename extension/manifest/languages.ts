import { fixedFormExtensions, freeFormExtensions } from '../../plugin-api/fortran/file-names';

/** gfortran takes these for fixed form, the "Modern Fortran" extension for free. */
const freeFormInEditors = ['fpp'];

const dotted = (extension: string): string => `.${extension}`;

/**
 * The Fortran languages that VS Code itself does not know, with the ids and file extensions of the "Modern Fortran"
 * extension: a file has one id, whether one of the two extensions is installed or both. VS Code compares file
 * extensions without case, so `.F90` is covered by `.f90`.
 */
export const fortranLanguages = [
  {
    id: 'FortranFreeForm',
    aliases: ['Fortran', 'Fortran90'],
    extensions: [...freeFormExtensions, ...freeFormInEditors].map(dotted),
  },
  {
    id: 'FortranFixedForm',
    aliases: ['Fortran77'],
    extensions: fixedFormExtensions.filter((each) => !freeFormInEditors.includes(each)).map(dotted),
  },
];

/** Ids that other and older Fortran extensions give to the same files; nothing is declared for them here. */
const otherFortranIds = ['fortran', 'fortran-modern', 'fortran_fixed-form'];

/** Every language id under which a Fortran file may be open. */
export const fortranLanguageIds = [...fortranLanguages.map(({ id }) => id), ...otherFortranIds];

/** Ids of several extensions for CUDA, and those of languages whose compilers tell gdb of their lines. */
const compiledLanguageIds = ['cuda-cpp', 'cuda', 'hip', 'rust', 'd', 'ada'];

/** Every language id in which breakpoints can be set. */
export const breakpointLanguageIds = ['c', 'cpp', ...fortranLanguageIds, ...compiledLanguageIds];
