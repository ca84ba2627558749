/** INTEGERs of Fortran, which the C of an MPI program knows as int, by how gdb writes their types. */
import { boundsOf } from './fortran-type';

/** As gdb prints it in a Fortran frame, or with the brackets of C where the innermost frame is one of C. */
const fortranInteger = /^integer(?:\(kind=4\))?(?:, (?:allocatable|pointer))?(?: \([-\d:,]+\)|(?: ?\[\d+\])+)?\s*&?$/;
const cInteger = /^(?:const )?(?:int|MPI_Fint|int32_t)(?: ?\[\d+\])?$/;

/** A scalar that is ALLOCATABLE or a POINTER; as gdb writes it in a Fortran frame, or below a structure. */
const pointerToInteger = /^PTR TO -> \( integer(?:\(kind=4\))? \)$|^integer(?:\(kind=4\))? \*$/;

/** As Fortran passes a handle to C. */
const cPointerToInteger = /^(?:const )?(?:int|MPI_Fint|int32_t) \*(?: ?const)?$/;

export const isPointerToInteger = (type: string): boolean =>
  pointerToInteger.test(type) || cPointerToInteger.test(type);

/** An INTEGER of Fortran that C may pass, an array of them, or a pointer to one. */
export const isInteger = (type: string): boolean =>
  fortranInteger.test(type) || cInteger.test(type) || isPointerToInteger(type);

/** How many elements an array of INTEGERs has in the first dimension of Fortran, whose elements lie side by side. */
export function firstExtent(type: string): number | undefined {
  const [first] = boundsOf(type.replace(/\s*&$/, '')) ?? [];
  if (first !== undefined) return first.high - first.low + 1;
  const inC = /\[(\d+)\]\s*&?$/.exec(type)?.[1];
  return inC === undefined ? undefined : Number(inC);
}

/** The number of dimensions of an array of INTEGERs. */
export function dimensionCount(type: string): number {
  return type.match(/,(?! )|\(\d*[-:\d]|\[/g)?.length ?? 0;
}
