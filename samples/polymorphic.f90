! polymorphic.f90 - objects whose types are known at run time only: CLASS, SELECT TYPE, ASSOCIATE, CLASS(*), with handles in
! them that the declared type does not have.      mpirun -n 2 polymorphic
module shapes_at_run_time
  use mpi_f08
  use truth
  implicit none

  type :: base
    integer :: id = 0
    type(MPI_Comm) :: comm
  end type base

  type, extends(base) :: tide
    integer :: handle = 0
    character(len=6) :: name
    type(MPI_Comm) :: halos(2)
    integer, pointer :: back(:)
  end type tide

  type, extends(tide) :: spring_tide
    real(8) :: height = 2.5d0
  end type spring_tide

  type :: holder
    class(base), allocatable :: kept
    class(base), pointer :: at => null()
    class(base), pointer :: nothing => null()
    class(base), allocatable :: many(:)
    class(*), pointer :: anything => null()
  end type holder

contains

  function named(name)
    character(len=*), intent(in) :: name
    type(MPI_Comm) :: named
    call MPI_Comm_dup(MPI_COMM_SELF, named)
    call MPI_Comm_set_name(named, name)
  end function named

  subroutine look(obj, objs, kept, any, itself)
    class(base), intent(in) :: obj, objs(:)
    type(holder), intent(in) :: kept
    class(*), intent(in) :: any
    class(tide), intent(in) :: itself

    select type (obj)
    class is (tide)
      call truth_comm("comm.f:obj%handle", obj%handle)
      call truth_comm("obj%comm", obj%comm%MPI_VAL)
      call truth_comm("obj%halos(2)", obj%halos(2)%MPI_VAL, "obj%halos")
      call truth_comm("obj%halos(1)", obj%halos(1)%MPI_VAL, "obj%halos")
    end select
    select type (objs)
    type is (tide)
      call truth_comm("objs(1)%comm", objs(1)%comm%MPI_VAL)
      call truth_comm("comm.f:objs(2)%handle", objs(2)%handle)
      call truth_comm("objs(3)%halos(2)", objs(3)%halos(2)%MPI_VAL)
    end select
    associate (part => itself%halos)
      call truth_comm("itself%halos(1)", part(1)%MPI_VAL)
    end associate
    call look_inside()
    select type (any)
    type is (integer)
      if (any < 0) print *, any, kept%at%id
    end select
  contains

    subroutine look_inside()
      select type (known => kept%kept)
      type is (tide)
        call truth_comm("comm.f:kept%kept%handle", known%handle)
        call truth_comm("kept%kept%halos(1)", known%halos(1)%MPI_VAL)
      end select
      call truth_comm("kept%at%comm", kept%at%comm%MPI_VAL)
      call truth_comm("kept%many(2)%comm", kept%many(2)%comm%MPI_VAL)
      select type (thing => kept%anything)
      type is (tide)
        call truth_comm("comm.f:kept%anything%handle", thing%handle)
        call truth_comm("kept%anything%comm", thing%comm%MPI_VAL)
        call wait_for_debugger() ! stop: all objects there
      end select
    end subroutine look_inside

  end subroutine look

end module shapes_at_run_time

program polymorphic
  use mpi_f08
  use shapes_at_run_time
  use truth, only: truth_begin
  implicit none

  type, extends(base) :: local_type
    integer :: depth = 12
  end type local_type

  type(tide), target :: tides(5)
  type(spring_tide), target :: spring
  type(local_type), target :: here
  type(holder) :: h
  integer, target :: numbers(10) = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  class(base), pointer :: backwards(:)
  class(*), allocatable :: number
  integer :: i
  character(len=8) :: name

  call MPI_Init()
  call truth_begin()
  do i = 1, 5
    tides(i)%id = i
    write (name, '(a, i0)') "tide", i
    tides(i)%name = name(1:6)
    tides(i)%comm = named(trim(name))
    tides(i)%halos = [named(trim(name) // "a"), named(trim(name) // "b")]
    tides(i)%handle = tides(i)%comm%MPI_VAL
    tides(i)%back => numbers(10:1:-3)
  end do
  spring%tide = tides(2)
  here%comm = named("here")
  allocate (h%kept, source=tides(3))
  h%at => here
  allocate (h%many(2), source=tides(1:2))
  h%anything => tides(4)
  allocate (number, source=42)
  backwards => tides(5:1:-2)
  call look(spring, backwards, h, number, tides(1))
  call MPI_Finalize()

end program polymorphic
