! unset.f90 - variables that have no value yet where it stops, their names begin with late_, and others
!   mpirun -n 2 unset-f90
! Each rank prints what the others hold.
module unset_parts
  use mpi
  implicit none
contains
  subroutine work(rank)
    integer, intent(in) :: rank
    integer :: direct, by_reference, i, round, late_i, late_ierr, late_list(6)
    real(8) :: edge(2), by_loop, late_speed
    complex(8) :: late_wave
    direct = 7
    call set(by_reference)
    do i = 1, 2
      edge(i) = i * 0.5d0
    end do
    do round = 1, 2
      if (round == 2) then
        print '(4i4,3f6.2)', direct, by_reference, i, round, edge, by_loop
        flush (6)
        if (by_loop < 0) return ! stop: some are set
      end if
      by_loop = 2.5d0
    end do
    late_speed = rank
    late_wave = cmplx(late_speed, 1, 8)
    late_list = 0
    do late_i = 1, 6
      late_list(late_i) = late_i
    end do
    call MPI_Barrier(MPI_COMM_WORLD, late_ierr)
    call nested(rank)
    call passing(rank)
  end subroutine

  subroutine nested(rank)
    integer, intent(in) :: rank
    integer :: from_inner
    call fill()
    print '(i4)', from_inner
    flush (6)
    if (from_inner < 0) return ! stop: set by an inner procedure
  contains
    subroutine fill()
      from_inner = rank + 9
    end subroutine
  end subroutine

  subroutine passing(rank)
    integer, intent(in) :: rank
    integer :: from_passed
    call apply(fill)
    print '(i4)', from_passed
    flush (6)
    if (from_passed < 0) return ! stop: set by a passed procedure
  contains
    subroutine fill()
      from_passed = rank + 10
    end subroutine
  end subroutine

  subroutine apply(what)
    interface
      subroutine what()
      end subroutine
    end interface
    call what()
  end subroutine

  subroutine set(target)
    integer, intent(out) :: target
    target = 8
  end subroutine
end module

program unset
  use unset_parts
  implicit none
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call work(rank)
  call MPI_Finalize(ierr)
end program
