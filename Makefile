.PHONY: build test whole format races clean

build:   ## compile everything, run nothing
	mvn -B -q test-compile

test:    ## what finds most mistakes in little time
	mvn -B verify

whole:   ## what every change must pass
	mvn -B verify -P whole

format:  ## the whole style guide
	mvn -B -q spotless:apply

races:   ## the concurrency tests, for hours instead of seconds
	mvn -B verify -P whole -pl tests/concurrency -am -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dweir.jcstress.args="-m tough"

clean:
	mvn -B -q clean
	rm -rf target
