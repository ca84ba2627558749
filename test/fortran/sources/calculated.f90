! What is calculated with, and where that counts: never in the array of the caller, always in the variable itself.
module checks
  use mpi
  implicit none
  integer :: total !? total=none
contains
  ! A sum over anything: it says nothing of what it is given.
  integer function checksum(values, n)
    integer, intent(in) :: n, values(n) !? values=none, n=none
    integer :: i !? i=none, checksum=none
    checksum = 0
    do i = 1, n
      checksum = checksum + values(i)
    end do
  end function checksum
  subroutine negate(values)
    integer, intent(inout) :: values(:) !? values=none
    values(1) = -values(1)
  end subroutine negate
end module checks

subroutine wait_for_all(left, n)
  use mpi
  use checks
  implicit none
  integer, intent(in) :: n
  integer :: left(n), own(4), comms(2), types(3) !? left=request, own=request, comms=comm, types=datatype
  integer :: ierr, mixed(3), alone !? ierr=none, mixed=conflict, alone=none
  total = total + checksum(left, n) + checksum(own, 4)
  call negate(comms)
  call negate(types)
  call MPI_Waitall(n, left, MPI_STATUSES_IGNORE, ierr)
  call MPI_Startall(4, own, ierr)
  call MPI_Comm_dup(comms(1), comms(2), ierr)
  call MPI_Type_create_struct(3, [1, 1, 1], [0_8, 8_8, 16_8], types, types(1), ierr)
  call MPI_Request_free(mixed(1), ierr)
  mixed(2) = n * 2
  alone = mixed(2)
end subroutine wait_for_all
