/** Fortran as in a code on a grid, as much as one wants: modules, derived types, calls of MPI and of each other. */

export const proceduresPerFile = 12;
export const linesPerFile = 500;

function procedure(file: number, files: number, index: number): string[] {
  const next = `exchange_${(file + 1) % files}_${index}`;
  return [
    `  subroutine exchange_${file}_${index}(grid, field, comm, n)`,
    `    type(grid_${file}), intent(inout) :: grid`,
    '    integer, intent(in) :: comm, n',
    '    double precision, intent(inout) :: field(n, n)',
    '    integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), rows, local, i, j, ierror',
    '    call MPI_Comm_dup(comm, local, ierror) ! a comment, and its words',
    '    call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, rows, ierror)',
    '    call MPI_Type_commit(rows, ierror)',
    '    do j = 2, n - 1',
    '      do i = 2, n - 1',
    '        field(i, j) = 0.25d0 * (field(i - 1, j) + field(i + 1, j) &',
    '                              + field(i, j - 1) + field(i, j + 1))',
    '      end do',
    '    end do',
    '    call MPI_Isend(field(1, 2), 1, rows, grid%left, 1, grid%comm, requests(1), ierror)',
    '    call MPI_Irecv(field(1, 1), 1, rows, grid%left, 1, grid%comm, requests(2), ierror)',
    '    call MPI_Waitall(2, requests, statuses, ierror)',
    `    if (n > 1000) call ${next}(grid, field, local, n / 2)`,
    '    grid%comm = local',
    '    call MPI_Type_free(rows, ierror)',
    `  end subroutine exchange_${file}_${index}`,
  ];
}

/** The text of one file of so many. It has linesPerFile lines, and uses the next file's module. */
export function haloModule(file: number, files: number): string {
  const lines = [
    `module halo_${file}`,
    '  use mpi',
    // A circle of modules is not Fortran: the last one uses none.
    ...(file + 1 < files ? [`  use halo_${file + 1}`] : []),
    '  implicit none',
    `  type :: grid_${file}`,
    '    integer :: comm, left, right, n',
    `  end type grid_${file}`,
    'contains',
    ...Array.from({ length: proceduresPerFile }, (_, index) => procedure(file, files, index)).flat(),
    `  subroutine kernel_${file}(a, n)`,
    '    integer, intent(in) :: n',
    '    double precision, intent(inout) :: a(n)',
    '    integer :: i',
  ];
  while (lines.length < linesPerFile - 2)
    lines.push(`    a(i) = a(i) * 1.5d0 + sqrt(abs(a(mod(i + ${lines.length}, n) + 1)))`);
  return [...lines, `  end subroutine kernel_${file}`, `end module halo_${file}`, ''].join('\n');
}
